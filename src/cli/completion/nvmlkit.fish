# Completion of nvmlkit for fish. `nvmlkit complete` knows the words; this hands them over.
function __nvmlkit_complete
    set -l words (commandline -opc)
    set -l typed (commandline -ct)
    for line in ($words[1] complete -- $words[2..-1] "$typed" 2>/dev/null)
        switch $line
            case ':files'
                __fish_complete_path (string replace -r -- '^--[^=]*=' '' "$typed")
            case ':folders'
                __fish_complete_directories (string replace -r -- '^--[^=]*=' '' "$typed")
            case ':programs'
                __fish_complete_command
            case '*'
                echo $line
        end
    end
end
complete -c nvmlkit -f -a '(__nvmlkit_complete)'

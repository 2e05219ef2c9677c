using System.CommandLine;

namespace CoAP.NET.Cli;

/// <summary>Explains errors of a command line, with a suggestion.</summary>
internal static class CommandLineErrors
{
    /// <summary>Returns the first error of an invalid command line.</summary>
    public static UsageException Of(ParseResult parse)
    {
        Command command = parse.CommandResult.Command;
        string path = PathOf(command);

        // For an unknown command, the parser reports one error for itself and one for each word after it.
        if (command is RootCommand && parse.UnmatchedTokens is [var word, ..] && !word.StartsWith('-'))
        {
            return OfCommand(word, command);
        }

        // The parser also rejects the value after an unknown option.
        if (parse.UnmatchedTokens.FirstOrDefault(unmatched => unmatched.Length > 1 && unmatched.StartsWith('-')) is { } option)
        {
            string? meant = SpellingSuggestions.Closest(option.Split('=', ':')[0], OptionsOf(parse));
            string perhaps = meant is null ? "" : $"Did you mean {meant}? ";
            return new UsageException($"'{option}' is not an option of {path}.", $"{perhaps}{path} --help lists the options.");
        }

        // The parser puts choices on lines of their own, and reports a missing value twice.
        return new UsageException(string.Join(' ', parse.Errors.Select(error => error.Message).Distinct()
            .SelectMany(message => message.Split((char[]?)null, StringSplitOptions.RemoveEmptyEntries))));
    }

    /// <summary>Returns the error of a word that should be a command.</summary>
    public static UsageException OfCommand(string word, Command above)
    {
        string path = PathOf(above);
        string? meant = word.Contains("://", StringComparison.Ordinal)
            ? $"get {word}"
            : SpellingSuggestions.Closest(word, above.Subcommands.Select(known => known.Name));
        string perhaps = meant is null ? "" : $"Did you mean {path} {meant}? ";
        return new UsageException($"'{word}' is not a command.", $"{perhaps}{path} --help lists the commands.");
    }

    /// <summary>Returns the words that call a command.</summary>
    public static string PathOf(Command command) => command is RootCommand ? "coap"
        : command.Parents.OfType<Command>().FirstOrDefault() is { } parent ? $"{PathOf(parent)} {command.Name}"
        : command.Name;

    private static IEnumerable<string> OptionsOf(ParseResult parse) => parse.CommandResult.Command.Options
        .Concat(parse.RootCommandResult.Command.Options.Where(option => option.Recursive))
        .Select(option => option.Name);
}

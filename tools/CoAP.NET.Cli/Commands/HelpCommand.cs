using System.CommandLine;
using System.CommandLine.Completions;

namespace CoAP.NET.Cli.Commands;

/// <summary>
/// Shows the commands, one of them, or the options of a topic: <c>coap help get security</c>. With <c>--man</c> the whole command line as a
/// manual page.
/// </summary>
internal static class HelpCommand
{
    internal static Command Create(CliContext context)
    {
        Argument<string[]> words = new("COMMAND")
        {
            Description = "A command, and a topic of its help: a group of options, or all.",
            HelpName = "COMMAND [TOPIC]",
            Arity = ArgumentArity.ZeroOrMore,
        };
        words.CompletionSources.Add(Complete);
        Option<bool> manual = new("--man") { Description = "Print the manual page in the format of man: coap help --man | man -l -" };
        Command help = new("help", "Show the commands, one of them, or a topic of its help.") { words, manual };
        return help.Runs(context, (parse, _) =>
        {
            Command root = parse.RootCommandResult.Command;
            if (parse.GetValue(manual))
            {
                context.Out.Writer.Write(ManualPage.Of(root));
                return Task.FromResult(ExitCodes.Success);
            }

            string[] given = parse.GetValue(words) ?? [];
            Command command = Find(root, given, out string? topic);
            ParseResult shown = CommandProgram.Parse(
                root, [.. given[..(topic is null ? given.Length : given.Length - 1)], "--help"]);
            if (topic is null)
            {
                return Task.FromResult(shown.Invoke(new InvocationConfiguration { Output = context.Out.Writer }));
            }

            ((CommandHelp)shown.Action!).WriteTopic((GroupedHelpCommand)command, topic, context.Out.Writer);
            return Task.FromResult(ExitCodes.Success);
        });
    }

    private static Command Find(Command root, string[] words, out string? topic)
    {
        Command command = root;
        topic = null;
        foreach (string word in words)
        {
            if (topic is not null)
            {
                throw new UsageException($"'{word}' follows a topic.", "Write coap help COMMAND TOPIC.");
            }

            if (command.Subcommands.FirstOrDefault(below => below.Name == word) is { } found)
            {
                command = found;
                continue;
            }

            string[] topics = [.. CommandHelp.TopicsOf(command)];
            topic = topics.Contains(word) ? word
                : topics.Length == 0 ? throw CommandLineErrors.OfCommand(word, command)
                : throw new UsageException($"'{word}' is not a topic of {CommandLineErrors.PathOf(command)}.",
                    $"Topics: {string.Join(", ", topics)}.");
        }

        return command;
    }

    private static IEnumerable<CompletionItem> Complete(CompletionContext context)
    {
        Command command = context.ParseResult.RootCommandResult.Command;
        foreach (string word in context.ParseResult.CommandResult.Tokens.Select(static token => token.Value))
        {
            command = command.Subcommands.FirstOrDefault(below => below.Name == word) ?? command;
        }

        return command.Subcommands.Select(static below => below.Name).Concat(CommandHelp.TopicsOf(command))
            .Select(static word => new CompletionItem(word));
    }
}

using System.CommandLine;
using System.Globalization;
using System.Text;

namespace CoAP.NET.Cli.Commands;

/// <summary>The manual page of the tool (<c>man 7 man-pages</c>), from its commands.</summary>
internal static class ManualPage
{
    private static readonly (string Name, string Meaning)[] s_variables =
    [
        ("NO_COLOR", "Unless empty, the output has no colors; --color takes precedence."),
        ("TERM", "With dumb the output has no colors and no progress."),
    ];

    /// <summary>Writes the page.</summary>
    /// <param name="root">The root command.</param>
    public static string Of(Command root)
    {
        StringBuilder page = new();
        page.Append(".\\\" Made by coap help --man.\n");
        page.Append(".TH COAP 1 \"\" \"CoAP.NET\" \"User Commands\"\n");
        page.Append(".SH NAME\n").Append("coap \\- CoAP from the command line\n");
        page.Append(".SH SYNOPSIS\n").Append(".B coap\n.I COMMAND\n.RI [ OPTIONS ]\n");
        Section(page, "DESCRIPTION", root.Description ?? "");
        Paragraph(page, "URIs begin with coap:// (the default), coaps://, coap+tcp://, coaps+tcp://, coap+ws:// or coaps+ws://. Times are "
            + "seconds, or have a unit: 10, 500ms, 10s, 2m, 1h.");
        page.Append(".SH COMMANDS\n");
        GroupedHelpCommand[] grouped = [.. root.Subcommands.OfType<GroupedHelpCommand>()];
        HashSet<string> shared = [.. grouped.SelectMany(static command => command.Options).GroupBy(KeyOf)
            .Where(static same => same.Count() > 1).Select(static same => same.Key)];
        foreach (Command command in root.Subcommands)
        {
            Describe(page, command, command.Name, shared);
        }

        Shared(page, grouped, shared);
        page.Append(".SH OPTIONS OF ALL COMMANDS\n");
        Rows(page, root.Options.Select(static option => (HelpTable.NamesOf(option), option.Description ?? "")));
        page.Append(".SH EXIT STATUS\n");
        Rows(page, ExitCodes.Meanings.Select(
            static row => (row.Code.ToString(CultureInfo.InvariantCulture), $"{char.ToUpperInvariant(row.Meaning[0])}{row.Meaning[1..]}.")));
        page.Append(".SH ENVIRONMENT\n");
        Rows(page, s_variables);
        page.Append(".SH EXAMPLES\n.nf\n");
        foreach (string example in grouped.SelectMany(static command => command.Examples))
        {
            page.Append(Escape(example)).Append('\n');
        }

        return page.Append(".fi\n").ToString();
    }

    private static void Describe(StringBuilder page, Command command, string path, HashSet<string> shared)
    {
        string arguments = string.Concat(command.Arguments.Select(static argument => $" {argument.HelpName ?? argument.Name}"));
        page.Append(CultureInfo.InvariantCulture, $".SS \"coap {Escape(path)}{Escape(arguments)}\"\n");
        Paragraph(page, command.Description ?? "");
        Rows(page, command.Arguments.Where(static argument => argument.Description is not null)
            .Select(static argument => (argument.HelpName ?? argument.Name, argument.Description!)));
        Rows(page, command.Options.Where(option => !shared.Contains(KeyOf(option)))
            .Select(static option => (HelpTable.NamesOf(option), option.Description ?? "")));
        foreach (Command below in command.Subcommands)
        {
            Describe(page, below, $"{path} {below.Name}", shared);
        }
    }

    // Each option once for all commands that have it, below the title of its first group.
    private static void Shared(StringBuilder page, GroupedHelpCommand[] commands, HashSet<string> shared)
    {
        page.Append(".SH OPTIONS OF SEVERAL COMMANDS\n");
        foreach (string title in commands.SelectMany(static command => command.Groups).Select(static group => group.Title).Distinct())
        {
            (string Names, string Description)[] rows = [.. commands
                .SelectMany(command => command.Groups.Where(group => group.Title == title).SelectMany(static group => group.Options))
                .Where(option => shared.Remove(KeyOf(option)))
                .Select(option => (HelpTable.NamesOf(option), $"{option.Description} ({string.Join(", ", HoldersOf(option))})"))];
            if (rows.Length > 0)
            {
                page.Append(CultureInfo.InvariantCulture, $".SS \"{Escape(title)}\"\n");
                Rows(page, rows);
            }
        }

        IEnumerable<string> HoldersOf(Option option) => commands
            .Where(command => command.Options.Any(one => KeyOf(one) == KeyOf(option))).Select(static command => command.Name);
    }

    private static string KeyOf(Option option) => $"{HelpTable.NamesOf(option)} {option.Description}";

    private static void Section(StringBuilder page, string title, string text)
    {
        page.Append(CultureInfo.InvariantCulture, $".SH {title}\n");
        Paragraph(page, text);
    }

    private static void Paragraph(StringBuilder page, string text) => page.Append(".PP\n").Append(Escape(text)).Append('\n');

    private static void Rows(StringBuilder page, IEnumerable<(string Name, string Text)> rows)
    {
        foreach ((string name, string text) in rows)
        {
            page.Append(".TP\n.B ").Append(Escape(name)).Append('\n').Append(Escape(text)).Append('\n');
        }
    }

    // A minus stays one for a reader who copies it, and a line of text never begins a request.
    private static string Escape(string text)
    {
        string escaped = text.Replace("\\", "\\e", StringComparison.Ordinal).Replace("-", "\\-", StringComparison.Ordinal)
            .Replace("\"", "\\(dq", StringComparison.Ordinal).Replace("'", "\\(aq", StringComparison.Ordinal);
        return escaped.StartsWith('.') ? $"\\&{escaped}" : escaped;
    }
}

using System.Globalization;
using Spectre.Console;

namespace CoAP.NET.Cli.Output;

/// <summary>Markup as text with escape sequences, without folding.</summary>
internal static class AnsiText
{
    public static string Render(string markup)
    {
        using StringWriter writer = new(CultureInfo.InvariantCulture);
        IAnsiConsole console = AnsiConsole.Create(new AnsiConsoleSettings
        {
            Out = new AnsiConsoleOutput(writer),
            Ansi = AnsiSupport.Yes,
            ColorSystem = ColorSystemSupport.Standard,
            Interactive = InteractionSupport.No,
        });
        console.Profile.Width = int.MaxValue / 2;
        console.Markup(markup);
        return writer.ToString();
    }
}

using System.Globalization;
using Spectre.Console;
using Spectre.Console.Rendering;

namespace CoAP.NET.Cli.Output;

/// <summary>What Spectre draws, as text with line feeds and, if wanted, escape sequences.</summary>
internal static class AnsiText
{
    public static string Render(IRenderable renderable, int width, bool hasColor)
    {
        using StringWriter writer = new(CultureInfo.InvariantCulture) { NewLine = "\n" };
        IAnsiConsole console = AnsiConsole.Create(new AnsiConsoleSettings
        {
            Out = new AnsiConsoleOutput(writer),
            Ansi = hasColor ? AnsiSupport.Yes : AnsiSupport.No,
            ColorSystem = hasColor ? ColorSystemSupport.Standard : ColorSystemSupport.NoColors,
            Interactive = InteractionSupport.No,
        });
        console.Profile.Width = width;
        console.Profile.Capabilities.Unicode = true;
        console.Write(renderable);
        return writer.ToString().ReplaceLineEndings("\n");
    }
}

using System.Globalization;
using CoAP.NET.Content;
using Spectre.Console;
using Spectre.Console.Rendering;

namespace CoAP.NET.Cli.Output;

/// <summary>
/// Renders Spectre's output as text with line feeds and, if requested, escape sequences: only those of styles, whatever the text contains.
/// </summary>
internal static class AnsiRenderer
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
        console.Write(new SafeRenderable(renderable));
        return writer.ToString().ReplaceLineEndings("\n");
    }

    private sealed class SafeRenderable(IRenderable inner) : IRenderable
    {
        public Measurement Measure(RenderOptions options, int maxWidth) => inner.Measure(options, maxWidth);

        public IEnumerable<Segment> Render(RenderOptions options, int maxWidth) =>
            inner.Render(options, maxWidth).Select(static part =>
                part.IsControlCode ? Segment.Empty : part.IsLineBreak ? part : new Segment(TextSanitizer.LineOf(part.Text), part.Style));
    }
}

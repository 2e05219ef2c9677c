using System.Text;
using Spectre.Console;
using Spectre.Console.Rendering;

namespace CoAP.NET.Cli.Output;

/// <summary>One of the two output streams: bytes, text, and what a terminal can show.</summary>
internal sealed class CliOutput
{
    // Tables of redirected output are as wide as they need to be: whoever reads them has no terminal to fold them for.
    private const int Unlimited = 4096;

    private const int Unfolded = int.MaxValue / 2;

    private IAnsiConsole? _console;

    public CliOutput(Stream stream, bool isTerminal, int? width = null)
    {
        Stream = stream;
        IsTerminal = isTerminal;
        Width = width ?? (isTerminal ? 80 : Unlimited);
        Writer = new StreamWriter(stream, new UTF8Encoding(encoderShouldEmitUTF8Identifier: false)) { AutoFlush = true, NewLine = "\n" };
        HasColor = isTerminal;
    }

    /// <summary>For raw bytes. <see cref="Writer"/> never holds anything back, so both may be used in turn.</summary>
    public Stream Stream { get; }

    public TextWriter Writer { get; }

    /// <summary>Whether a person looks at it. Without one nothing moves: no progress, no hex dumps.</summary>
    public bool IsTerminal { get; }

    /// <summary>The columns that a line has.</summary>
    public int Width { get; }

    /// <summary>Whether to use colors; settled by <c>--color</c> and <c>NO_COLOR</c> before a command runs.</summary>
    public bool HasColor
    {
        get;
        set
        {
            field = value;
            _console = null;
        }
    }

    /// <summary>For tables, trees, colors and progress.</summary>
    public IAnsiConsole Console
    {
        get
        {
            if (_console is null)
            {
                _console = AnsiConsole.Create(new AnsiConsoleSettings
                {
                    Out = new AnsiConsoleOutput(Writer),
                    Ansi = HasColor || IsTerminal ? AnsiSupport.Yes : AnsiSupport.No,
                    ColorSystem = HasColor ? ColorSystemSupport.Standard : ColorSystemSupport.NoColors,
                    Interactive = IsTerminal ? InteractionSupport.Yes : InteractionSupport.No,
                });
                _console.Profile.Width = Width;
                _console.Profile.Capabilities.Unicode = true;
            }

            return _console;
        }
    }

    /// <summary>Writes a table or tree, without blanks at the ends of lines and without empty lines around it.</summary>
    public void WriteBlock(IRenderable block)
    {
        string[] lines = [.. AnsiText.Render(block, Width, HasColor).Split('\n').Select(line => line.TrimEnd())];
        foreach (string line in lines.Where(line => line.Length > 0))
        {
            Writer.WriteLine(line);
        }
    }

    /// <summary>Writes a line with Spectre's markup; what comes from outside must be escaped by <see cref="Markup.Escape(string)"/>.</summary>
    public void MarkupLine(string markup)
    {
        if (HasColor)
        {
            // Not folded: a line is a line, however wide the terminal.
            Writer.WriteLine(AnsiText.Render(new Markup(markup), Unfolded, hasColor: true));
        }
        else
        {
            Writer.WriteLine(Markup.Remove(markup));
        }
    }
}

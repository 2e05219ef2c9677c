using System.Buffers;
using System.Text;
using System.Text.Encodings.Web;
using System.Text.Json;
using Spectre.Console;
using Spectre.Console.Rendering;

namespace CoAP.NET.Cli.Output;

/// <summary>
/// One of the two output streams: bytes, text, and what a terminal can show. Text is made harmless here (<see cref="SafeText"/>),
/// wherever it comes from: of the escape sequences of a terminal only those that this class and its <see cref="Status"/> write themselves
/// get through. Only <see cref="WriteBytes"/> writes what came as it came. Thread-safe.
/// </summary>
internal sealed class CliOutput
{
    // Tables of redirected output are as wide as they need to be: whoever reads them has no terminal to fold them for.
    private const int Unlimited = 4096;

    private const int Unfolded = int.MaxValue / 2;

    private static readonly JsonWriterOptions s_json = new() { Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping };

    private readonly Stream _stream;
    private IAnsiConsole? _console;

    /// <summary>Makes one.</summary>
    /// <param name="stream">Where it goes.</param>
    /// <param name="isTerminal">Whether a person looks at it.</param>
    /// <param name="width">The columns of the terminal; null for the usual.</param>
    /// <param name="status">The line at the foot of the terminal, the same for all outputs that end there; null for none.</param>
    public CliOutput(Stream stream, bool isTerminal, int? width = null, StatusLine? status = null)
    {
        _stream = stream;
        Text = new StreamWriter(stream, new UTF8Encoding(encoderShouldEmitUTF8Identifier: false)) { AutoFlush = true, NewLine = "\n" };
        IsTerminal = isTerminal;
        Width = width ?? (isTerminal ? 80 : Unlimited);
        Status = status ?? new StatusLine(null, Width);
        Writer = new SafeWriter(this) { NewLine = "\n" };
        HasColor = isTerminal;
    }

    /// <summary>For text; nothing in it can command a terminal.</summary>
    public TextWriter Writer { get; }

    /// <summary>The line at the foot of the terminal.</summary>
    public StatusLine Status { get; }

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

    // For what is harmless, or was made here.
    private StreamWriter Text { get; }

    /// <summary>For progress, which is drawn again and again; nothing that comes from outside may be drawn on it.</summary>
    public IAnsiConsole Console
    {
        get
        {
            if (_console is null)
            {
                _console = AnsiConsole.Create(new AnsiConsoleSettings
                {
                    Out = new AnsiConsoleOutput(Text),
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

    /// <summary>Writes bytes as they are, for those who asked for that and for redirected output.</summary>
    public void WriteBytes(ReadOnlySpan<byte> bytes)
    {
        using (Status.Aside())
        {
            _stream.Write(bytes);
            _stream.Flush();
        }
    }

    /// <summary>Writes a JSON document on a line of its own.</summary>
    /// <param name="write">Writes the document.</param>
    public void WriteJson(Action<Utf8JsonWriter> write)
    {
        ArrayBufferWriter<byte> line = new();
        using (Utf8JsonWriter json = new(line, s_json))
        {
            write(json);
        }

        WriteText(SafeText.OfJson(Encoding.UTF8.GetString(line.WrittenSpan)) + "\n");
    }

    /// <summary>Writes a table or tree, without blanks at the ends of lines and without empty lines around it.</summary>
    public void WriteBlock(IRenderable block)
    {
        string[] lines = [.. AnsiText.Render(block, Width, HasColor).Split('\n').Select(line => line.TrimEnd())];
        WriteText(string.Concat(lines.Where(line => line.Length > 0).Select(line => line + "\n")));
    }

    /// <summary>
    /// Writes one line with markup; what comes from outside must be escaped by <see cref="Markup.Escape(string)"/>, and cannot begin a
    /// line of its own.
    /// </summary>
    public void MarkupLine(string markup) => WriteMarkup(markup.ReplaceLineEndings(" "));

    /// <summary>Writes text of several lines with markup.</summary>
    public void MarkupText(string markup) => WriteMarkup(markup);

    // Not folded: a line is a line, however wide the terminal.
    private void WriteMarkup(string markup) =>
        WriteText((HasColor ? AnsiText.Render(StyledText.Of(markup), Unfolded, hasColor: true) : StyledText.PlainOf(markup)) + "\n");

    private void WriteText(string text)
    {
        using (Status.Aside())
        {
            Text.Write(text);
        }
    }

    // What goes through it cannot command a terminal, whoever wrote it.
    private sealed class SafeWriter(CliOutput output) : TextWriter
    {
        public override Encoding Encoding => Encoding.UTF8;

        public override void Write(char value) => Write(value.ToString());

        public override void Write(char[] buffer, int index, int count) => Write(new string(buffer, index, count));

        public override void Write(ReadOnlySpan<char> buffer) => Write(buffer.ToString());

        public override void Write(string? value)
        {
            if (!string.IsNullOrEmpty(value))
            {
                output.WriteText(SafeText.Of(value));
            }
        }

        public override void WriteLine(string? value) => Write(value + NewLine);

        public override void WriteLine() => Write(NewLine);
    }
}

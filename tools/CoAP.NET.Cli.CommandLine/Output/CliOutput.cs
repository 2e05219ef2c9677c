using System.Buffers;
using System.Text;
using System.Text.Encodings.Web;
using System.Text.Json;
using System.Text.Json.Nodes;
using CoAP.NET.Content;
using Spectre.Console;
using Spectre.Console.Rendering;

namespace CoAP.NET.Cli.Output;

/// <summary>
/// One of the two output streams: bytes, text, and terminal output. It sanitizes all text (<see cref="TextSanitizer"/>): of a terminal's
/// escape sequences only those of this class and its <see cref="Status"/> get through. Only <see cref="WriteBytes"/> writes bytes
/// unmodified. Thread-safe.
/// </summary>
internal sealed class CliOutput
{
    // Tables in redirected output are as wide as necessary: there is no terminal to wrap them for.
    private const int Unlimited = 4096;

    private const int Unfolded = int.MaxValue / 2;

    private static readonly JsonWriterOptions s_json = new() { Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping };

    private readonly Stream _stream;
    private IAnsiConsole? _console;

    /// <summary>Creates an output.</summary>
    /// <param name="stream">The stream.</param>
    /// <param name="isTerminal">Whether it is a terminal.</param>
    /// <param name="width">The columns of the terminal; null for the default.</param>
    /// <param name="status">The status line of the terminal, shared by all outputs on it; null for none.</param>
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

    /// <summary>Writes text, which cannot contain terminal commands.</summary>
    public TextWriter Writer { get; }

    /// <summary>The status line at the bottom of the terminal.</summary>
    public StatusLine Status { get; }

    /// <summary>Whether it is a terminal. Otherwise there is no animation: no progress, no hex dumps.</summary>
    public bool IsTerminal { get; }

    /// <summary>Columns of a line.</summary>
    public int Width { get; }

    /// <summary>Whether to use colors; <c>--color</c> and <c>NO_COLOR</c> set it before a command runs.</summary>
    public bool HasColor
    {
        get;
        set
        {
            field = value;
            _console = null;
        }
    }

    // For safe text, or text from this class.
    private StreamWriter Text { get; }

    /// <summary>A console for progress that redraws itself; never draw external text on it.</summary>
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

    /// <summary>Writes raw bytes, for redirected output or on request.</summary>
    public void WriteBytes(ReadOnlySpan<byte> bytes)
    {
        using (Status.Aside())
        {
            _stream.Write(bytes);
            _stream.Flush();
        }
    }

    /// <summary>Writes a JSON document on a line of its own.</summary>
    public void WriteJson(JsonObject json)
    {
        ArrayBufferWriter<byte> line = new();
        using (Utf8JsonWriter writer = new(line, s_json))
        {
            json.WriteTo(writer);
        }

        WriteText(TextSanitizer.OfJson(Encoding.UTF8.GetString(line.WrittenSpan)) + "\n");
    }

    /// <summary>Writes a table or tree, without trailing blanks and without empty lines around it.</summary>
    public void WriteBlock(IRenderable block)
    {
        string[] lines = [.. AnsiRenderer.Render(block, Width, HasColor).Split('\n').Select(line => line.TrimEnd())];
        WriteText(string.Concat(lines.Where(line => line.Length > 0).Select(line => line + "\n")));
    }

    /// <summary>
    /// Writes one line with markup; escape external text with <see cref="Markup.Escape(string)"/>, which also prevents it from starting a
    /// new line.
    /// </summary>
    public void MarkupLine(string markup) => WriteMarkup(markup.ReplaceLineEndings(" "));

    /// <summary>Writes text of several lines with markup.</summary>
    public void MarkupText(string markup) => WriteMarkup(markup);

    // Never wrapped: a line is a line, however wide the terminal.
    private void WriteMarkup(string markup) =>
        WriteText((HasColor ? AnsiRenderer.Render(MarkupFormatter.Of(markup), Unfolded, hasColor: true) : MarkupFormatter.PlainOf(markup))
            + "\n");

    private void WriteText(string text)
    {
        using (Status.Aside())
        {
            Text.Write(text);
        }
    }

    // Sanitizes all text, so that it contains no terminal commands.
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
                output.WriteText(TextSanitizer.Of(value));
            }
        }

        public override void WriteLine(string? value) => Write(value + NewLine);

        public override void WriteLine() => Write(NewLine);
    }
}

using System.Text;

namespace CoAP.NET.Cli.Output;

/// <summary>The writer of an output stream: text that goes through it cannot command a terminal, whoever wrote it.</summary>
/// <param name="write">Writes text that is harmless.</param>
internal sealed class SafeWriter(Action<string> write) : TextWriter
{
    /// <inheritdoc/>
    public override Encoding Encoding => Encoding.UTF8;

    /// <inheritdoc/>
    public override void Write(char value) => Write(value.ToString());

    /// <inheritdoc/>
    public override void Write(char[] buffer, int index, int count) => Write(new string(buffer, index, count));

    /// <inheritdoc/>
    public override void Write(ReadOnlySpan<char> buffer) => Write(buffer.ToString());

    /// <inheritdoc/>
    public override void Write(string? value)
    {
        if (!string.IsNullOrEmpty(value))
        {
            write(SafeText.Of(value));
        }
    }

    /// <inheritdoc/>
    public override void WriteLine(string? value) => Write(value + NewLine);

    /// <inheritdoc/>
    public override void WriteLine() => Write(NewLine);
}

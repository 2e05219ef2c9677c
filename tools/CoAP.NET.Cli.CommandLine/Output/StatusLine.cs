using CoAP.NET.Content;
using Spectre.Console;

namespace CoAP.NET.Cli.Output;

/// <summary>
/// A status line at the bottom of a terminal. It is cleared before any other output to either stream, so that nothing of it remains. Its
/// lock orders the output of several threads. Thread-safe.
/// </summary>
/// <param name="terminal">The terminal; null for none, and no status line.</param>
/// <param name="width">The columns of the terminal.</param>
internal sealed class StatusLine(Stream? terminal, int width)
{
    private readonly Lock _gate = new();
    private bool _isShown;

    /// <summary>Whether there is a terminal.</summary>
    public bool IsPossible => terminal is not null;

    /// <summary>Clears the line and blocks the output of other threads until the scope ends.</summary>
    public Lock.Scope Aside()
    {
        Lock.Scope scope = _gate.EnterScope();
        if (_isShown)
        {
            _isShown = false;
            terminal!.Write("\r\e[K"u8);
            terminal.Flush();
        }

        return scope;
    }

    /// <summary>Replaces the text. It truncates a text that is wider than the terminal, because a wrapped line cannot be cleared.</summary>
    public void Show(string text)
    {
        string line = TextSanitizer.LineOf(text);
        int columns = 0;
        int length = 0;
        while (length < line.Length && (columns += Math.Max(1, line[length].GetCellWidth())) < width)
        {
            length++;
        }

        using (Aside())
        {
            if (terminal is not null)
            {
                _isShown = true;
                terminal.Write(System.Text.Encoding.UTF8.GetBytes(line[..length]));
                terminal.Flush();
            }
        }
    }
}

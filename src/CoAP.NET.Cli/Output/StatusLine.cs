using Spectre.Console;

namespace CoAP.NET.Cli.Output;

/// <summary>
/// A line at the foot of a terminal that tells what goes on. It is cleared before anything else is written to either output stream, so
/// that nothing of it stays. Its lock orders what several threads write. Thread-safe.
/// </summary>
/// <param name="terminal">The terminal; null where there is none, and nothing is shown.</param>
/// <param name="width">The columns of the terminal.</param>
internal sealed class StatusLine(Stream? terminal, int width)
{
    private readonly Lock _gate = new();
    private bool _isShown;

    /// <summary>Whether there is a terminal to show it on.</summary>
    public bool IsPossible => terminal is not null;

    /// <summary>Clears the line and keeps other threads from writing until the scope ends.</summary>
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

    /// <summary>
    /// Shows a text in place of the one before. A text that is wider than the terminal is cut, as a folded line could not be cleared.
    /// </summary>
    public void Show(string text)
    {
        string line = SafeText.LineOf(text);
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

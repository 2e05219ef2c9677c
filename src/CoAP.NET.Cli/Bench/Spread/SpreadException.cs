namespace CoAP.NET.Cli.Bench;

/// <summary>A run over several machines could not be done. The message is a sentence for people and names the worker.</summary>
internal sealed class SpreadException(string kind, string message, Exception? inner = null) : Exception(message, inner)
{
    /// <summary>One of the constants of <see cref="SpreadError"/>, or a kind of a later version.</summary>
    public string Kind { get; } = kind;

    /// <summary>
    /// Text of the other side as it may be shown: on one line, no control characters (a terminal obeys those), not endless.
    /// </summary>
    public static string Clean(string text, int length = 300)
    {
        string line = string.Create(Math.Min(text.Length, length), text, static (to, from) =>
        {
            for (int i = 0; i < to.Length; i++)
            {
                to[i] = char.IsControl(from[i]) || char.IsSurrogate(from[i]) ? ' ' : from[i];
            }
        });
        return text.Length > length ? line + "..." : line;
    }
}

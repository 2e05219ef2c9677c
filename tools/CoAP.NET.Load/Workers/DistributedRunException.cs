namespace CoAP.NET.Load.Workers;

/// <summary>A run over several machines failed. The message is a readable sentence that names the worker.</summary>
internal sealed class DistributedRunException(string kind, string message, Exception? inner = null) : Exception(message, inner)
{
    /// <summary>One of the constants of <see cref="WorkerProtocolErrorCodes"/>, or a kind of a later version.</summary>
    public string Kind { get; } = kind;

    /// <summary>
    /// Returns text of the other side in a safe form: on one line, without control characters (which a terminal would execute), limited in
    /// length.
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

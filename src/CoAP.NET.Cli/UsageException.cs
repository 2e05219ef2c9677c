namespace CoAP.NET.Cli;

/// <summary>What the user asked for makes no sense. Leads to <see cref="ExitCodes.Usage"/>.</summary>
/// <param name="message">One sentence that says what is wrong.</param>
/// <param name="hint">What to do; null for the help of the command.</param>
internal sealed class UsageException(string message, string? hint = null) : Exception(message)
{
    public string? Hint { get; } = hint;
}

namespace CoAP.NET.Cli;

/// <summary>An invalid request of the user. Leads to <see cref="ExitCodes.Usage"/>.</summary>
/// <param name="message">One sentence about the problem.</param>
/// <param name="hint">The hint; null for the help of the command.</param>
internal sealed class UsageException(string message, string? hint = null) : Exception(message)
{
    public string? Hint { get; } = hint;
}

using System.Text;

namespace CoAP.NET.Cli.Tests;

/// <summary>What one run of the tool ended with and wrote.</summary>
/// <param name="ExitCode">The exit code.</param>
/// <param name="OutBytes">What came on the standard output.</param>
/// <param name="Error">What came on the standard error, as text.</param>
internal sealed record CliRun(int ExitCode, byte[] OutBytes, string Error)
{
    /// <summary>The standard output as text.</summary>
    public string Out => Encoding.UTF8.GetString(OutBytes);

    /// <summary>For messages of failed tests.</summary>
    public override string ToString() => $"exit code {ExitCode}\n--- out\n{Out}\n--- error\n{Error}";
}

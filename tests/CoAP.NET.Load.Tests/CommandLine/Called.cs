namespace CoAP.NET.Load.Tests.CommandLine;

/// <summary>The program, called as from a command line.</summary>
internal static class Called
{
    public static async Task<(int Code, string Output, string Error)> RunAsync(string[] args, CancellationToken cancellationToken = default)
    {
        StringWriter output = new();
        StringWriter error = new();
        int code = await LoadProgram.RunAsync(args, output, error, cancellationToken).WaitAsync(TimeSpan.FromSeconds(60), CancellationToken.None);
        return (code, output.ToString(), error.ToString());
    }
}

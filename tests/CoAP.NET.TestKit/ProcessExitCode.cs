namespace CoAP.NET.Tests.Shared;

/// <summary>The exit code of this process, which all tests of an assembly share.</summary>
public static class ProcessExitCode
{
    private static readonly SemaphoreSlim s_one = new(1);

    /// <summary>Returns the exit code that an application sets, and resets it. Other tests that need it wait meanwhile.</summary>
    /// <param name="run">Runs the application until it stops.</param>
    public static async Task<int> OfAsync(Func<Task> run)
    {
        await s_one.WaitAsync();
        try
        {
            await run();
            return Environment.ExitCode;
        }
        finally
        {
            Environment.ExitCode = 0;
            s_one.Release();
        }
    }
}

namespace CoAP.NET.Load;

/// <summary>How the program ends.</summary>
internal static class ExitCode
{
    public const int Done = 0;

    /// <summary>It could not be done, or what --strict forbids happened.</summary>
    public const int Failed = 1;

    /// <summary>The command line asks for something that cannot be.</summary>
    public const int Usage = 2;

    /// <summary>Says why a command line is refused.</summary>
    public static int Refuse(TextWriter error, params IEnumerable<string> reasons)
    {
        foreach (string reason in reasons)
        {
            error.WriteLine(reason);
        }

        error.WriteLine($"{LoadProgram.CalledAs} --help tells what there is.");
        return Usage;
    }
}

namespace CoAP.NET.Speed;

/// <summary>
/// Which processors what runs on; when there is only one, or others were given to this program, everything runs where it can.
/// </summary>
internal static class Processors
{
    private static readonly bool s_canPin = Environment.ProcessorCount > 1;

    /// <summary>The processor of what is measured.</summary>
    public static int[] Measured { get; } = [Processor.Server];

    /// <summary>The processor of what it talks to.</summary>
    public static int[] Other { get; } = [Processor.Load];

    /// <summary>Says it when nothing can be pinned.</summary>
    public static string? Note => s_canPin ? null : "There is one processor only: servers and load share it, and nothing is pinned.";

    /// <summary>Keeps the calling thread, and what it starts, on processors.</summary>
    /// <param name="processors">The processors.</param>
    /// <returns>What it was kept on before, for <see cref="Restore"/>.</returns>
    public static byte[] Pin(int[] processors) => s_canPin ? Processor.Pin(processors) : [];

    public static void Restore(byte[] before)
    {
        if (s_canPin)
        {
            Processor.Restore(before);
        }
    }

    /// <summary>Makes a thread that is kept on a processor.</summary>
    public static Lane Lane(int processor) => new(s_canPin ? processor : -1);
}

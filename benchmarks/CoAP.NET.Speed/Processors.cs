namespace CoAP.NET.Speed;

/// <summary>
/// Which processor what runs on; when there is only one, or others were given to this program, everything runs where it can.
/// </summary>
internal static class Processors
{
    /// <summary>The processor of what is measured.</summary>
    public const int Measured = Processor.Server;

    /// <summary>The processor of what it talks to.</summary>
    public const int Other = Processor.Load;

    /// <summary>Both processors, that of the load too.</summary>
    public const int Any = -1;

    private static readonly bool s_canPin = Environment.ProcessorCount > 1;

    /// <summary>Says it when nothing can be pinned.</summary>
    public static string? Note => s_canPin ? null : "There is one processor only: servers and load share it, and nothing is pinned.";

    /// <summary>Keeps the calling thread, and what it starts, on a processor.</summary>
    /// <param name="processor">The processor; <see cref="Any"/> for both.</param>
    /// <returns>What it was kept on before, for <see cref="Restore"/>.</returns>
    public static byte[] Pin(int processor) =>
        !s_canPin ? [] : processor == Any ? Processor.Pin(Measured, Other) : Processor.Pin(processor);

    public static void Restore(byte[] before)
    {
        if (s_canPin)
        {
            Processor.Restore(before);
        }
    }
}

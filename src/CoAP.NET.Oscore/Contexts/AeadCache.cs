namespace CoAP.NET.Oscore.Contexts;

/// <summary>
/// Caches the platform's ciphers between messages, for all contexts of the process: a fixed number, so that an idle context costs only its
/// keys. It evicts an unused one, and the owner recreates it on demand. Thread-safe.
/// </summary>
internal static class AeadCache
{
    /// <summary>Maximum number of cached ciphers.</summary>
    public const int Max = 1024;

    private static readonly Lock s_gate = new();
    private static readonly OscoreAead?[] s_ring = new OscoreAead?[Max];
    private static int s_next;

    /// <summary>Adds a new cipher, and disposes another one if necessary.</summary>
    public static void Keep(OscoreAead aead)
    {
        OscoreAead? idle;
        lock (s_gate)
        {
            // A cipher used since the last round gets another one, but not all can.
            for (int i = 0; i < Max && s_ring[s_next]?.TakeUsed() == true; i++)
            {
                s_next = (s_next + 1) % Max;
            }

            idle = s_ring[s_next];
            s_ring[s_next] = aead;
            s_next = (s_next + 1) % Max;
        }

        idle?.Dispose();
    }
}

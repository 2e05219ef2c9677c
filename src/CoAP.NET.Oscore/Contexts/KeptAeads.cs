namespace CoAP.NET.Oscore;

/// <summary>
/// The ciphers of the platform that are kept from one message to the next, of all contexts of the process: a fixed number, so that a
/// context that is idle costs its keys only. The one that was not used for longest gives way, and is made again when it is needed.
/// Thread-safe.
/// </summary>
internal static class KeptAeads
{
    /// <summary>How many are kept.</summary>
    public const int Max = 1024;

    private static readonly Lock s_gate = new();
    private static readonly OscoreAead?[] s_ring = new OscoreAead?[Max];
    private static int s_next;

    /// <summary>Keeps a new one; another one may be disposed for it.</summary>
    /// <param name="aead">The cipher.</param>
    public static void Keep(OscoreAead aead)
    {
        OscoreAead? idle;
        lock (s_gate)
        {
            // One that was used since the last round has another one, but not all can.
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

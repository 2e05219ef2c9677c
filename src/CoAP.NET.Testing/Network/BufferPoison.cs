using CoAP.NET.Transports;

namespace CoAP.NET.Testing;

/// <summary>
/// Overwrites every buffer that the library gives back to its pool, in the whole process, so that code which still reads one is found out:
/// it sees <see cref="Value"/> in place of what it expects. On as long as anybody wants it; harmless to tests that run in parallel.
/// </summary>
public static class BufferPoison
{
    /// <summary>The byte that buffers are filled with: no header, option or text begins so.</summary>
    public const byte Value = 0xdb;

    private static readonly Lock s_gate = new();
    private static int s_users;

    /// <summary>Begins to poison buffers.</summary>
    /// <returns>Ends it when disposed, unless others still want it.</returns>
    public static IDisposable Start()
    {
        lock (s_gate)
        {
            if (s_users++ == 0)
            {
                CoapDatagramPool.Poison = Value;
            }
        }

        return new Usage();
    }

    private sealed class Usage : IDisposable
    {
        private int _ended;

        public void Dispose()
        {
            if (Interlocked.Exchange(ref _ended, 1) == 1)
            {
                return;
            }

            lock (s_gate)
            {
                if (--s_users == 0)
                {
                    CoapDatagramPool.Poison = null;
                }
            }
        }
    }
}

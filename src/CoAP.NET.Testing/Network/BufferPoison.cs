using CoAP.NET.Transports;

namespace CoAP.NET.Testing;

/// <summary>Overwrites each buffer that the library returns to a pool, in the whole process, to reveal code that still reads it.</summary>
/// <remarks>
/// Such code sees <see cref="Value"/> in place of the expected data. Poisoning is active as long as at least one caller uses it, and
/// harmless to parallel tests.
/// </remarks>
public static class BufferPoison
{
    /// <summary>The fill byte: no header, option or text begins with it.</summary>
    public const byte Value = 0xdb;

    private static readonly Lock s_gate = new();
    private static int s_users;

    /// <summary>Starts poisoning.</summary>
    /// <returns>A handle. Disposing it ends the poisoning, unless other handles exist.</returns>
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

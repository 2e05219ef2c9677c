using CoAP.NET.Dtls.Keeping;

namespace CoAP.NET.Dtls;

/// <summary>Puts sessions that were kept into a running server. Thread-safe.</summary>
public sealed class CoapDtlsSessionLoader
{
    private readonly SessionLoading _loading;

    internal CoapDtlsSessionLoader(SessionLoading loading) => _loading = loading;

    /// <summary>
    /// Loads a session. It sends nothing, and takes nothing, before the keeper has confirmed the numbers that it will use. For these it is
    /// handed over (<see cref="CoapDtlsSessionChangeKind.Reserved"/>) when something of its client comes first, or something is to be sent;
    /// where they are not confirmed in time it ends (<see cref="CoapDtlsSessionKeeping.ConfirmTimeout"/>). Until then nothing is written
    /// for it. Several threads may load sessions at the same time.
    /// </summary>
    /// <param name="state">What was kept last of it (<see cref="CoapDtlsSessionChange.State"/>). Never an older state: its numbers were
    /// used.</param>
    /// <param name="stamp">The <see cref="CoapDtlsSessionChange.Stamp"/> of the session. Where the server has the session already under
    /// another one, that one ends without a word to its client and this one takes its place: another server had it in between.</param>
    /// <returns>What became of it.</returns>
    public CoapDtlsSessionLoad TryLoad(ReadOnlySpan<byte> state, long stamp = 0) => _loading.TryLoad(state, stamp);
}

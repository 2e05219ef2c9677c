using CoAP.NET.Dtls.SessionBackups;

namespace CoAP.NET.Dtls;

/// <summary>Loads kept sessions into a running server. Thread-safe.</summary>
internal sealed class CoapDtlsSessionLoader
{
    private readonly SessionLoader _loading;

    internal CoapDtlsSessionLoader(SessionLoader loading) => _loading = loading;

    /// <summary>Loads a session.</summary>
    /// <param name="state">
    /// The latest state that the backup stored (<see cref="CoapDtlsSessionChange.State"/>). Never an older one: the session has already
    /// used its record numbers.
    /// </param>
    /// <param name="stamp">
    /// The <see cref="CoapDtlsSessionChange.Stamp"/> of the session. If the server already has the session with another stamp, that session
    /// ends without a message to its client, and this one replaces it: another server had it in between.
    /// </param>
    /// <returns>The result.</returns>
    /// <remarks>
    /// A loaded session sends and accepts nothing until the backup has confirmed its record numbers. The server asks for them
    /// (<see cref="CoapDtlsSessionChangeKind.Reserved"/>) at the first record from the client or to it; until then it writes nothing for
    /// the session. At the same time it checks the credentials of the client again, and ends the session if it does not accept them.
    /// Without a confirmation in time the session ends (<see cref="CoapDtlsSessionBackupOptions.ConfirmTimeout"/>). Several threads may
    /// load sessions at the same time.
    /// </remarks>
    public CoapDtlsSessionLoad TryLoad(ReadOnlySpan<byte> state, long stamp = 0) => _loading.TryLoad(state, [], stamp);

    /// <summary>Loads a session whose state and <see cref="CoapDtlsSessionChange.Progress"/> are stored apart.</summary>
    /// <param name="state">The latest state that the backup stored.</param>
    /// <param name="progress">The latest progress that it stored, which may be older than the state; empty for none.</param>
    /// <param name="stamp">See <see cref="TryLoad"/>.</param>
    /// <returns>The result.</returns>
    internal CoapDtlsSessionLoad TryLoadParts(ReadOnlySpan<byte> state, ReadOnlySpan<byte> progress, long stamp) =>
        _loading.TryLoad(state, progress, stamp);
}

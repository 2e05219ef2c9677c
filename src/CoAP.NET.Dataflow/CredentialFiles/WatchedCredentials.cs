using Microsoft.Extensions.Logging;

namespace CoAP.NET.CredentialFiles;

/// <summary>Credentials of files that may change while an endpoint runs. If a changed file has an error, the credentials stay.</summary>
internal abstract class WatchedCredentials
{
    /// <summary>
    /// Reloads the files if one has changed. One caller has to call it periodically: it reads a change when two checks see the same state,
    /// because a writer may not be done.
    /// </summary>
    /// <exception cref="CoapException">
    /// A file is not usable. Thrown once for each change; the message names the file, and no key.
    /// </exception>
    /// <exception cref="ArgumentException">As before: two files contradict each other.</exception>
    public abstract ValueTask<bool> RefreshAsync(DateTimeOffset now);

    /// <summary>Whether the credentials of a peer were revoked, so that its connection must end.</summary>
    public virtual bool IsRevoked(CoapPeer peer) => false;

    /// <summary>Logs that the files were reloaded.</summary>
    /// <param name="logger">The log.</param>
    /// <param name="title">The name of the endpoint.</param>
    /// <param name="ended">Number of connections and sessions that ended because of it.</param>
    public abstract void LogTaken(ILogger logger, string title, int ended);

    /// <summary>Logs that a changed file has an error.</summary>
    public abstract void LogNotTaken(ILogger logger, string title, string problem);

    /// <summary>Logs what will need new files soon. Called with each check.</summary>
    public virtual void LogDue(ILogger logger, string title, DateTimeOffset now)
    {
    }
}

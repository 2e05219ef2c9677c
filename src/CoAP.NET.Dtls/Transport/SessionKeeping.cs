using CoAP.NET.Dtls.Sessions;
using Microsoft.Extensions.Logging;

namespace CoAP.NET.Dtls.Transport;

/// <summary>Sessions of a server that outlive a restart.</summary>
/// <param name="server">The server.</param>
/// <param name="settings">Where they are kept.</param>
/// <param name="logger">Where it is told.</param>
internal sealed class SessionKeeping(DtlsServer server, DtlsSettings settings, ILogger logger)
{
    private bool _hasLoaded;

    /// <summary>Takes the sessions of the process before. To be called before the first datagram is taken.</summary>
    public void Load()
    {
        if (settings.SessionFile is not { } file)
        {
            return;
        }

        _hasLoaded = true;
        try
        {
            byte[] data = CoapDtlsSessionFile.Take(file.Path);
            DtlsLog.SessionsLoaded(logger, server.Load(data, file.Key), file.Path);
        }
        catch (FileNotFoundException)
        {
            // The first start, or the last one ended without a stop.
        }
        catch (Exception exception)
            when (exception is IOException or UnauthorizedAccessException or InvalidDataException or InvalidOperationException)
        {
            DtlsLog.SessionsNotLoaded(logger, file.Path, exception.Message);
        }
    }

    /// <summary>Keeps them for the process after. To be called when no datagram is taken any more.</summary>
    public void Keep()
    {
        if (!_hasLoaded || settings.SessionFile is not { } file)
        {
            return;
        }

        try
        {
            if (server.SealKept(file.Key) is not { } data)
            {
                return;
            }

            OwnerFile.Write(file.Path, data);
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
        {
            DtlsLog.SessionsNotSaved(logger, file.Path, exception.Message);
        }
    }
}

using CoAP.NET.Dtls.Sessions;

namespace CoAP.NET.Dtls.Transport;

// Sessions that outlive a restart.
internal sealed partial class DtlsEngine
{
    private bool _hasLoaded;

    /// <summary>Takes the sessions of the process before. To be called before the first datagram is taken.</summary>
    public void LoadSessions()
    {
        if (_server is not { } server || _settings.SessionFile is not { } file)
        {
            return;
        }

        _hasLoaded = true;
        try
        {
            byte[] data = CoapDtlsSessionFile.Take(file.Path);
            DtlsLog.SessionsLoaded(_outer.Logger, server.Load(data, file.Key), file.Path);
        }
        catch (FileNotFoundException)
        {
            // The first start, or the last one ended without a stop.
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException or InvalidDataException or InvalidOperationException)
        {
            DtlsLog.SessionsNotLoaded(_outer.Logger, file.Path, exception.Message);
        }
    }

    private void KeepSessions()
    {
        if (!_hasLoaded || _server is not { } server || _settings.SessionFile is not { } file)
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
            DtlsLog.SessionsNotSaved(_outer.Logger, file.Path, exception.Message);
        }
    }
}

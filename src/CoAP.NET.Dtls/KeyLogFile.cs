using System.Text;

namespace CoAP.NET.Dtls;

/// <summary>The file of secrets that <see cref="CoapDtlsOptions.KeyLogFile"/> names.</summary>
internal sealed class KeyLogFile
{
    private readonly Lock _gate = new();
    private readonly string _path;

    /// <summary>Makes sure that it can be written.</summary>
    /// <exception cref="CoapDtlsException">It cannot.</exception>
    public KeyLogFile(string path)
    {
        _path = path;
        try
        {
            OwnerFile.Append(path).Dispose();
        }
        catch (Exception exception)
            when (exception is IOException or UnauthorizedAccessException or ArgumentException or NotSupportedException)
        {
            throw new CoapDtlsException(
                $"CoapDtlsOptions.KeyLogFile '{path}' cannot be written: {exception.Message} Name a file in a directory that exists and "
                    + "may be written, or set it to null.", exception);
        }
    }

    /// <summary>Appends a line. A debugging aid ends no handshake: what cannot be written is left out.</summary>
    public void Write(string line)
    {
        lock (_gate)
        {
            try
            {
                using FileStream file = OwnerFile.Append(_path);
                file.Write(Encoding.ASCII.GetBytes(line + '\n'));
            }
            catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
            {
            }
        }
    }
}

using System.Text;

namespace CoAP.NET.Dtls;

/// <summary>The file of secrets that <see cref="CoapDtlsOptions.KeyLogFile"/> names.</summary>
internal sealed class KeyLogFile
{
    private readonly Lock _gate = new();
    private readonly string _path;

    /// <summary>Checks that the file is writable.</summary>
    /// <exception cref="CoapDtlsException">The file is not writable.</exception>
    public KeyLogFile(string path)
    {
        _path = path;
        try
        {
            PrivateFile.Append(path).Dispose();
        }
        catch (Exception exception)
            when (exception is IOException or UnauthorizedAccessException or ArgumentException or NotSupportedException)
        {
            throw new CoapDtlsException(
                $"CoapDtlsOptions.KeyLogFile '{path}' is not writable: {exception.Message} Name a file in an existing, writable "
                    + "directory, or set it to null.", exception);
        }
    }

    /// <summary>Appends a line. A failing write loses the line and does not end a handshake, because this is a debugging aid.</summary>
    public void Write(string line)
    {
        lock (_gate)
        {
            try
            {
                using FileStream file = PrivateFile.Append(_path);
                file.Write(Encoding.ASCII.GetBytes(line + '\n'));
            }
            catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
            {
            }
        }
    }
}

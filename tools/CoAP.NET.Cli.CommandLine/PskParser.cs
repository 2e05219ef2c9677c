using CoAP.NET.Dtls;

namespace CoAP.NET.Cli;

/// <summary>Pre-shared keys on the command line: <c>ID:KEY</c>. No message shows a key.</summary>
internal static class PskParser
{
    /// <summary>Parses a key.</summary>
    /// <exception cref="UsageException">The text is invalid.</exception>
    public static CoapPskCredential Parse(string text, string option = "--psk")
    {
        try
        {
            return CoapPskCredential.Parse(text);
        }
        catch (CoapCredentialException exception)
        {
            throw new UsageException($"{option}: {exception.Message}", "Write ID:KEY, such as device1:0x5e2f..., or device1:text.");
        }
    }

    /// <summary>Reads the only key of a file, in the line format of servers.</summary>
    /// <exception cref="CoapCredentialException">A line is wrong, or the file has another number of lines.</exception>
    public static CoapPskCredential ReadOnlyOne(FileInfo file)
    {
        string[] lines = [
            .. File.ReadLines(file.FullName).Select(static line => line.Trim()).Where(static line => line.Length > 0 && line[0] != '#')];
        return lines is [var line]
            ? CoapPskCredential.Parse(line)
            : throw new CoapCredentialException(
                $"{file} has {lines.Length} keys, but a client uses one. Keep its ID:KEY in a file of its own.");
    }
}

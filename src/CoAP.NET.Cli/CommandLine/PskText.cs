using CoAP.NET.Dtls;

namespace CoAP.NET.Cli.CommandLine;

/// <summary>Pre-shared keys on the command line: <c>ID:KEY</c>. No message shows a key.</summary>
internal static class PskText
{
    /// <summary>Reads one.</summary>
    /// <exception cref="UsageException">It is none.</exception>
    /// <param name="text">The text.</param>
    /// <param name="option">The option that it was given by.</param>
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

    /// <summary>Reads the only one of a file, whose lines are as those that a server has.</summary>
    /// <exception cref="CoapCredentialException">A line is wrong, or there is another number of them than one.</exception>
    public static CoapPskCredential ReadOnlyOne(FileInfo file)
    {
        string[] lines = [
            .. File.ReadLines(file.FullName).Select(static line => line.Trim()).Where(static line => line.Length > 0 && line[0] != '#')];
        return lines is [var line]
            ? CoapPskCredential.Parse(line)
            : throw new CoapCredentialException(
                $"{file} has {lines.Length} keys, and a client shows one. Keep its ID:KEY in a file of its own.");
    }
}

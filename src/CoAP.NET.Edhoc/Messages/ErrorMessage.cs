using System.Formats.Cbor;
using System.Text;
using CoAP.NET.Content.Cbor;

namespace CoAP.NET.Edhoc.Messages;

/// <summary>Error messages (RFC 9528 section 6).</summary>
internal static class ErrorMessage
{
    private const int MaxSuites = 32;

    public static byte[] Write(EdhocException error)
    {
        CborWriter writer = CborNumberWriter.Create();
        writer.WriteInt32((int)error.Code);
        switch (error.Code)
        {
            case EdhocErrorCode.WrongSelectedCipherSuite:
                SuiteList.Write(writer, error.Suites);
                break;
            case EdhocErrorCode.UnknownCredential:
                writer.WriteBoolean(true);
                break;
            default:
                string text = error.PeerText ?? error.Message;
                writer.WriteTextString(text.Length > EdhocException.MaxPeerText ? text[..EdhocException.MaxPeerText] : text);
                break;
        }

        return writer.Encode();
    }

    /// <summary>
    /// Whether bytes are an error message: no other message begins with an integer followed by only one item, except byte strings.
    /// </summary>
    public static bool IsError(ReadOnlySpan<byte> message) => !message.IsEmpty && (CborMajor)(message[0] >> 5) != CborMajor.ByteString;

    public static EdhocException Read(ReadOnlySpan<byte> message)
    {
        SequenceReader reader = new(message, "The error message");
        int code = reader.ReadInt("an error code");
        EdhocException error = code switch
        {
            (int)EdhocErrorCode.Unspecified => new EdhocException(
                EdhocErrorCode.Unspecified, $"The peer refuses: {Plain(reader.ReadText("a diagnostic text"))}", isOfPeer: true),
            (int)EdhocErrorCode.WrongSelectedCipherSuite => OfSuites(SuiteList.Read(ref reader, MaxSuites)),
            (int)EdhocErrorCode.UnknownCredential => new EdhocException(
                EdhocErrorCode.UnknownCredential, "The peer does not know the credential of this side.", isOfPeer: true),
            _ => new EdhocException(EdhocErrorCode.Unspecified, $"The peer refuses with the error code {code}.", isOfPeer: true),
        };

        // The information of unknown codes may have any form (section 6).
        if (code is 3 or < 1 or > 3 && !reader.IsAtEnd)
        {
            reader.ReadItem();
        }

        reader.End();
        return error;
    }

    private static EdhocException OfSuites(int[] suites) => new(
        EdhocErrorCode.WrongSelectedCipherSuite,
        $"The peer does not support the selected cipher suite; it supports {string.Join(", ", suites)}.",
        suites,
        isOfPeer: true);

    private static string Plain(string text)
    {
        StringBuilder plain = new();
        foreach (Rune rune in text.EnumerateRunes())
        {
            if (plain.Length + rune.Utf16SequenceLength > EdhocException.MaxPeerText)
            {
                break;
            }

            // Control characters, and characters that change the direction or are invisible, could fake text in the log or the terminal.
            bool isPlain = Rune.GetUnicodeCategory(rune) is not (System.Globalization.UnicodeCategory.Control
                or System.Globalization.UnicodeCategory.Format or System.Globalization.UnicodeCategory.LineSeparator
                or System.Globalization.UnicodeCategory.ParagraphSeparator or System.Globalization.UnicodeCategory.PrivateUse
                or System.Globalization.UnicodeCategory.OtherNotAssigned);
            plain.Append(isPlain ? rune.ToString() : "?");
        }

        return plain.ToString();
    }
}

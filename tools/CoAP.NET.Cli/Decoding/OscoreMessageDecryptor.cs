using CoAP.NET.Oscore.Captures;
using CoAP.NET.Oscore.Provisioning;

namespace CoAP.NET.Cli.Decoding;

/// <summary>Decrypts OSCORE messages in the input with the user's contexts.</summary>
internal sealed class OscoreMessageDecryptor : IDisposable
{
    private readonly OscoreCaptureReader? _reader;

    private OscoreMessageDecryptor(OscoreCaptureReader? reader) => _reader = reader;

    /// <summary>Creates a decryptor.</summary>
    /// <param name="files">The files and directories with contexts; none to decrypt nothing.</param>
    /// <exception cref="CoapCredentialException">One of them is not readable.</exception>
    public static OscoreMessageDecryptor Of(string[] files)
    {
        if (files.Length == 0)
        {
            return new OscoreMessageDecryptor(null);
        }

        List<OscoreContextFile> read = [];
        try
        {
            read.AddRange(files.Select(OscoreContextFile.Read));
            return new OscoreMessageDecryptor(new OscoreCaptureReader(read.SelectMany(static file => file.Contexts)));
        }
        finally
        {
            read.ForEach(static file => file.Dispose());
        }
    }

    /// <summary>Decrypts a message, or adds a remark on the reason why not.</summary>
    /// <param name="message">The message.</param>
    /// <param name="packet">The captured packet; null for bytes without one.</param>
    public void Open(DecodedMessage message, CapturedPacket? packet)
    {
        if (_reader is null || message.Fault is not null
            || MessageDissector.Read(message.Bytes.Span, message.Format) is not { } outer)
        {
            return;
        }

        if (_reader.TryRead(outer, packet?.Source.ToString() ?? "", packet?.Destination.ToString() ?? "", out CoapMessage? inner,
            out string remark))
        {
            message.Decrypted = MessageDissector.Dissect(MessageDissector.Write(inner, message.Format), message.Format);
        }

        if (remark.Length > 0)
        {
            message.Remarks.Add(remark);
        }
    }

    /// <inheritdoc/>
    public void Dispose() => _reader?.Dispose();
}

using CoAP.NET.Oscore;

namespace CoAP.NET.Cli.Decoding;

/// <summary>Decrypts the OSCORE messages among those that are decoded, with the contexts that the user has.</summary>
internal sealed class OscoreOpener : IDisposable
{
    private readonly OscoreCaptureReader? _reader;

    private OscoreOpener(OscoreCaptureReader? reader) => _reader = reader;

    /// <summary>Makes one.</summary>
    /// <param name="files">The files and directories with contexts; none to decrypt nothing.</param>
    /// <exception cref="OscoreProvisioningException">One of them cannot be read.</exception>
    public static OscoreOpener Of(string[] files)
    {
        if (files.Length == 0)
        {
            return new OscoreOpener(null);
        }

        List<OscoreContextFile> read = [];
        try
        {
            read.AddRange(files.Select(OscoreContextFile.Read));
            return new OscoreOpener(new OscoreCaptureReader(read.SelectMany(static file => file.Contexts)));
        }
        finally
        {
            read.ForEach(static file => file.Dispose());
        }
    }

    /// <summary>Decrypts a message, or says in a remark why not.</summary>
    /// <param name="message">The message.</param>
    /// <param name="packet">Where it was captured; null for bytes that were given.</param>
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

using System.CommandLine;
using System.Globalization;
using CoAP.NET.Cli.Output;
using Spectre.Console;

namespace CoAP.NET.Cli.Decoding;

/// <summary>Explains the bytes of messages, valid or not.</summary>
internal static class DecodeCommand
{
    internal static Command Create(CliContext context)
    {
        Argument<string[]> hex = new("HEX")
        {
            Description = "The message in hexadecimal; blanks, colons and 0x do not matter. - reads the standard input.",
            Arity = ArgumentArity.ZeroOrMore
        };
        Option<FileInfo?> file = new("--file", "-f")
        {
            Description = "Read this file: hexadecimal text, the bytes themselves, or a capture (pcap, pcapng) of CoAP over UDP.",
            HelpName = "FILE"
        };
        Option<string> format = new("--format")
        {
            Description = "The framing of messages: udp, tcp (also TLS), ws (WebSocket) or auto.",
            HelpName = "FORMAT",
            DefaultValueFactory = _ => "auto"
        };
        format.AcceptOnlyFromAmong("auto", "udp", "tcp", "ws");
        Option<int?> port = CommandExtensions.Number("--port",
            "Captures: the UDP port of CoAP. Default 5683; 0 for every datagram that is a CoAP message.", 0, 65535);
        Option<bool> json = new("--json") { Description = "Write one JSON object for each message." };
        Option<string[]> oscore = new("--oscore")
        {
            Description = "Decrypt OSCORE messages with the contexts of this file, or of a directory of aiocoap, those of either end. "
                + "May be repeated.",
            HelpName = "FILE",
        };
        Command command = new("decode", "Explain the bytes of a message field by field, or say where and why they are not valid.")
        {
            hex, file, format, port, json, oscore
        };
        return command.Runs(context, async (parse, cancellationToken) =>
        {
            string[] words = parse.GetValue(hex) ?? [];
            byte[] bytes = parse.GetValue(file) is { } path && words.Length == 0
                ? await ReadFileAsync(path, context, cancellationToken).ConfigureAwait(false)
                : words is ["-"] ? await DecodeInput.OfStreamAsync(context.In, cancellationToken).ConfigureAwait(false)
                : words.Length > 0 && parse.GetValue(file) is null ? DecodeInput.OfWords(words)
                : throw new UsageException("Give the message in hexadecimal, or - for the standard input, or --file.",
                    "Such as: coap decode 44 01 30 39 de ad be ef b1 61");
            using OscoreMessageDecryptor opener = OscoreMessageDecryptor.Of(parse.GetValue(oscore) ?? []);
            Printer printer = new(context.Out, parse.GetValue(json), opener);
            if (CaptureReader.IsCapture(bytes))
            {
                PrintCapture(bytes, parse.GetValue(port) ?? 5683, printer, context);
            }
            else
            {
                PrintMessages(bytes, parse.GetRequiredValue(format), printer);
            }

            return printer.HasFault ? ExitCodes.Protocol : ExitCodes.Success;
        });
    }

    private static async Task<byte[]> ReadFileAsync(FileInfo file, CliContext context, CancellationToken cancellationToken)
    {
        if (file.ToString() == "-")
        {
            return await DecodeInput.OfStreamAsync(context.In, cancellationToken).ConfigureAwait(false);
        }

        FileStream stream = file.OpenRead();
        await using (stream.ConfigureAwait(false))
        {
            return await DecodeInput.OfStreamAsync(stream, cancellationToken).ConfigureAwait(false);
        }
    }

    private static void PrintMessages(byte[] bytes, string format, Printer printer)
    {
        WireFormat framing = format switch
        {
            "udp" => WireFormat.Datagram,
            "tcp" => WireFormat.Stream,
            "ws" => WireFormat.WebSocket,
            _ => FramingDetector.Of(bytes),
        };
        IEnumerable<ReadOnlyMemory<byte>> messages = framing == WireFormat.Stream && bytes.Length > 0
            ? MessageDissector.Split(bytes)
            : [bytes];
        foreach (ReadOnlyMemory<byte> message in messages)
        {
            printer.Print(MessageDissector.Dissect(message, framing), null);
        }
    }

    private static void PrintCapture(byte[] bytes, int port, Printer printer, CliContext context)
    {
        CaptureReader reader = new(bytes);
        int count = 0;
        int cut = 0;
        foreach (CapturedPacket packet in reader.Read())
        {
            if (port == 0
                ? !MessageDissector.Check(packet.Data.Span, WireFormat.Datagram).IsNone
                : packet.Source.Port != port && packet.Destination.Port != port)
            {
                continue;
            }

            count++;
            if (packet.Data.Length < packet.Length)
            {
                cut++;
                continue;
            }

            printer.Print(MessageDissector.Dissect(packet.Data, WireFormat.Datagram), packet);
        }

        if (cut > 0)
        {
            FailureReporter.Write(context, $"Left out {cut} datagrams that the capture truncated.",
                "Capture whole packets, such as with tcpdump -s 0.");
        }

        if (reader.Fault is { } fault)
        {
            throw new IOException($"Reading the capture stopped: {fault}");
        }

        if (count == 0)
        {
            FailureReporter.Write(context, $"The capture has no datagram of port {port}.", "--port 0 looks for CoAP in all of them.");
        }
    }

    private sealed class Printer(CliOutput output, bool isJson, OscoreMessageDecryptor opener)
    {
        private bool _isFirst = true;

        public bool HasFault { get; private set; }

        public void Print(DecodedMessage message, CapturedPacket? packet)
        {
            HasFault |= message.Fault is not null;
            opener.Open(message, packet);
            if (isJson)
            {
                PacketJson.Write(message, packet, output);
                return;
            }

            if (!_isFirst)
            {
                output.Writer.WriteLine();
            }

            _isFirst = false;
            string where = packet is null
                ? ""
                : string.Create(CultureInfo.InvariantCulture,
                    $"{packet.Time.UtcDateTime:HH:mm:ss.ffffff} {packet.Source} > {packet.Destination}  ");
            output.MarkupLine($"[bold]{Markup.Escape(where + message.Summary)}[/]");
            FieldExplainer.Write(message, output.Writer);
            if (message.Decrypted is { } decrypted)
            {
                output.MarkupLine($"[bold]{Markup.Escape($"Decrypted: {decrypted.Summary}")}[/]");
                FieldExplainer.Write(decrypted, output.Writer);
            }
        }
    }
}

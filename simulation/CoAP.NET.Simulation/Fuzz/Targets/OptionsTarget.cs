using CoAP.NET.Tracing;

namespace CoAP.NET.Simulation.Fuzz;

/// <summary>
/// What becomes of a message that was read: typed options, the rules of RFC 7252 section 5.4, block values, the URI that options name, the
/// blanked payload of a trace.
/// </summary>
internal sealed class OptionsTarget : FuzzTarget
{
    private static readonly IPEndPoint s_destination = new(IPAddress.Parse("192.0.2.1"), 5683);

    private readonly MessageMutator _messages = new(new WireShape(IsDatagram: true));
    private readonly ByteMutator _bytes = new([]);
    private readonly ReferenceMessage _reference = new();

    public override int Share => 3000;

    public override void Mutate(FuzzBuffer buffer, FuzzRandom random, byte[] other)
    {
        if (random.OneOf(5))
        {
            _bytes.Mutate(buffer, 0, buffer.Length, random, other);
        }
        else
        {
            _messages.Mutate(buffer, 0, buffer.Length, random);
        }
    }

    public override ulong Run(byte[] input)
    {
        // Codes of signalling do not come in datagrams, but their options are typed too.
        byte code = input.Length > 1 ? input[1] : (byte)0;
        bool isSignalling = code >> 5 == 7;
        byte[] datagram = isSignalling ? [input[0], 0x45, .. input[2..]] : input;
        Check(PayloadRedaction.StartOf(input, isStream: false) <= input.Length
            && PayloadRedaction.StartOf(input, isStream: true) <= input.Length,
            "blank", "Beyond the end");
        TracePacketWriter.WithLength(input);
        if (!CoapDatagramSerializer.Default.TryDeserialize(datagram.AsSpan(), out CoapMessage? message, out CoapFormatError error))
        {
            return (ulong)error.Rule;
        }

        Check(!_reference.ReadDatagram(datagram) || PayloadRedaction.StartOf(datagram, isStream: false) == _reference.PayloadAt, "blank",
            "A trace blanks another part than the payload.");
        if (isSignalling)
        {
            message.Code = new CoapCode(code);
        }

        // An option of one byte becomes two objects and three texts here.
        BeginMeter(factor: 1024);
        ulong signature = ReadOptions(message);
        ReadKnown(message);
        EndMeter(input.Length, "Reading options");
        signature = FuzzRandom.Mix(signature, CheckUri(message));
        OptionVerdict verdict = OptionRules.Check(message, allowsQBlock: (code & 1) == 0);
        signature = FuzzRandom.Mix(signature, ((ulong)verdict.Fault << 32) | (uint)verdict.Number);
        if (verdict.Fault == OptionFault.None)
        {
            // What passes has no illegal option left, so it passes again, unchanged.
            int count = message.OptionsToRead?.Count ?? 0;
            Check(OptionRules.Check(message, allowsQBlock: (code & 1) == 0).Fault == OptionFault.None
                && (message.OptionsToRead?.Count ?? 0) == count, "rules", "A second look finds something else.");
            ReadKnown(message);
        }

        return signature;
    }

    private static ulong ReadOptions(CoapMessage message)
    {
        ulong signature = message.Code.Value;
        if (!message.HasOptions)
        {
            return signature;
        }

        Span<byte> bytes = stackalloc byte[3];
        for (int i = 0; i < message.Options.Count; i++)
        {
            CoapOption option = message.Options.OptionAt(i);
            ReadOnlySpan<byte> value = message.Options.ValueAt(i);
            byte[] written = option.ToValueArray();
            Check(option.Number == message.Options.NumberAt(i) && written.Length == option.ValueLength, "option",
                $"{option} of {message.Options.NumberAt(i)}");

            // A Hop-Limit of 0 may not be sent (RFC 8768 section 3) and has no form; it is read only so that it can be refused.
            if (option is HopLimitOption { Value: 0 })
            {
                continue;
            }

            // Numbers may come with leading zeros and never leave with them; text that is no UTF-8 is shown with replacement characters;
            // everything else is kept byte for byte.
            CoapOption again = message.Options.Registry.Create(message.Code, new OptionData(option.Number, written));
            bool isKept = option is UIntOption or BlockOption
                ? value.TrimStart((byte)0).SequenceEqual(written)
                : option is StringOption || value.SequenceEqual(written);
            Check(isKept && again.ToValueArray().AsSpan().SequenceEqual(written), "option",
                $"{option.Name} {Convert.ToHexStringLower(value)} became {Convert.ToHexStringLower(written)}.");
            Check(again.Equals(option) && again.GetHashCode() == option.GetHashCode() && again.ToString() == option.ToString(), "option",
                $"{option} is not equal to its copy.");
            if (BlockValue.TryParse(value, out BlockValue block))
            {
                bytes.Clear();
                int size = block.Write(bytes);
                Check(BlockValue.TryParse(bytes[..size], out BlockValue same) && same == block
                    && BlockValue.FromUInt32(block.Value) == block
                    && new BlockValue(block.Number, block.More, block.SizeExponent) == block, "block", $"{block}");
            }

            signature = i < 2
                ? FuzzRandom.Mix(signature,
                    (Small(option.Number, 300) << 8) | (option is UnrecognizedOption ? 1u : 0) | (Small(written.Length, 12) << 1))
                : signature;
        }

        return signature;
    }

    // None of them throws, whatever lengths and values there are.
    private static void ReadKnown(CoapMessage message)
    {
        CoapOptionCollection options = message.Options;
        _ = (options.UriHost, options.UriPath.Count, options.UriQuery.Count, options.ProxyUri, options.ProxyScheme,
            options.LocationPath.Count, options.LocationQuery.Count, options.Location);
        _ = (options.ContentFormat, options.Accept, options.MaxAge, options.Observe, options.Block1, options.Block2, options.Size1,
            options.Size2, options.UriPort, options.HopLimit);
        _ = (options.NoResponse, options.IfNoneMatch, options.ETag, options.Echo, options.ETags.Count, options.IfMatch.Count,
            options.RequestTags.Count);
        _ = (options.Get<QBlock1Option>(), options.Get<QBlock2Option>(), options.SuppressesResponse(CoapCode.Content), message.ToString());
    }

    private static ulong CheckUri(CoapMessage message)
    {
        if (message.Code.IsSignalling || !CoapUri.TryCompose("coap", message.Options, s_destination, out CoapUri? uri, out string? _))
        {
            return 0;
        }

        Check(CoapUri.TryParse(uri.ToString(), out CoapUri? again, out string? error), "compose",
            $"{uri} was composed and is no URI: {error}");
        Check(uri == again!, "compose", $"{uri} is read as {again}.");
        CoapOptionCollection options = new();
        uri.AddTo(options, s_destination.Address, s_destination.Port);
        Check(CoapUri.TryCompose("coap", options, s_destination, out CoapUri? third, out error) && UriTarget.IsSame(third, uri), "compose",
            $"{uri} turns to options and back into {third?.ToString() ?? error}.");
        return 1;
    }
}

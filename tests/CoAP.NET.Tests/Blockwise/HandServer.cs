namespace CoAP.NET.Tests.Blockwise;

/// <summary>RFC 7959 by hand: puts bodies together in order, by path and Request-Tag, and cuts its one representation.</summary>
internal sealed class HandServer
{
    private readonly Dictionary<string, MemoryStream> _bodies = [];

    /// <summary>The largest size exponent that it uses.</summary>
    public int MaxSizeExponent { get; set; } = 6;

    /// <summary>Whether a body is carried out only when it is whole; if not, each block is answered 2.04.</summary>
    public bool IsAtomic { get; set; } = true;

    /// <summary>
    /// Whether it joins the blocks by their token, and takes a last block with an unknown one for a whole body, as go-coap does.
    /// </summary>
    public bool JoinsByToken { get; set; }

    /// <summary>The largest body it takes; null for any.</summary>
    public int? MaxBody { get; set; }

    /// <summary>The representation, and what a request with a body is answered with.</summary>
    public byte[] Body { get; set; } = [];

    public byte[]? ETag { get; set; }

    public bool TellsSize { get; set; }

    /// <summary>The bodies that came.</summary>
    public List<byte[]> Stored { get; } = [];

    public CoapMessage Answer(CoapMessage request)
    {
        if (request.Options.Block1 is not { } block)
        {
            if (!request.Payload.IsEmpty)
            {
                Stored.Add(request.Payload.ToArray());
            }

            return request.Code == CoapCode.Put
                ? new CoapMessage(CoapCode.Changed)
                : Cut(request, request.Code == CoapCode.Get ? CoapCode.Content : CoapCode.Changed);
        }

        string key = string.Join('/', request.Options.GetAll<UriPathOption>().Select(segment => segment.Value))
            + string.Join(',', request.Options.RequestTags.Select(tag => Wire.Hex(tag.Span) + ";"));
        if (JoinsByToken)
        {
            key = Wire.Hex(request.Token.ToArray());
        }

        if (block.Number == 0 || (JoinsByToken && !_bodies.ContainsKey(key)))
        {
            _bodies[key] = new MemoryStream();
        }

        if (!_bodies.TryGetValue(key, out MemoryStream? body) || (body.Length != block.ByteOffset && !JoinsByToken))
        {
            return new CoapMessage(CoapCode.RequestEntityIncomplete);
        }

        if (block.More && request.Payload.Length != block.Size)
        {
            return new CoapMessage(CoapCode.BadRequest);
        }

        if (body.Length + request.Payload.Length > MaxBody)
        {
            return new CoapMessage(CoapCode.RequestEntityTooLarge);
        }

        body.Write(request.Payload.Span);
        CoapMessage response;
        if (block.More)
        {
            response = new CoapMessage(IsAtomic ? CoapCode.Continue : CoapCode.Changed);
        }
        else
        {
            _bodies.Remove(key);
            Stored.Add(body.ToArray());
            response = request.Code == CoapCode.Put ? new CoapMessage(CoapCode.Changed) : Cut(request, CoapCode.Changed);
        }

        response.Options.Block1 = new BlockValue(block.Number, block.More && IsAtomic, Math.Min(block.SizeExponent, MaxSizeExponent));
        return response;
    }

    private CoapMessage Cut(CoapMessage request, CoapCode code)
    {
        BlockValue asked = request.Options.Block2 ?? new BlockValue(0, more: false, 6);
        int exponent = Math.Min(asked.SizeExponent, MaxSizeExponent);
        int size = 16 << exponent;
        int offset = (int)asked.ByteOffset;
        if (offset > 0 && offset >= Body.Length)
        {
            return new CoapMessage(CoapCode.BadRequest);
        }

        int length = Math.Min(size, Body.Length - offset);
        bool more = offset + length < Body.Length;
        CoapMessage response = new(code) { Payload = Body.AsMemory(offset, length) };
        if (ETag is not null)
        {
            response.Options.ETag = new CoapETag(ETag);
        }

        if (more || offset > 0 || request.Options.Block2 is not null)
        {
            response.Options.Block2 = BlockValue.FromOffset(offset, more, exponent);
        }

        if (TellsSize && offset == 0)
        {
            response.Options.Size2 = (uint)Body.Length;
        }

        return response;
    }
}

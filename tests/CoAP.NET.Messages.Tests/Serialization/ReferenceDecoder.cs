using System.Globalization;

namespace CoAP.NET.Tests.Serialization;

/// <summary>
/// A second decoder, written from the text of RFC 7252 section 3, RFC 8323 sections 3.2 and 4.2 and RFC 8974 section 2.1 and from nothing
/// else: a list that bytes are taken off, one sentence of the RFC after another, numbers made by arithmetic, errors by exceptions. Slow,
/// and that does not matter.
/// </summary>
internal sealed class ReferenceDecoder
{
    private readonly List<int> _rest;
    private readonly int _all;
    private readonly int _maxOptions;
    private readonly int _maxToken;
    private readonly long _maxSize;

    private ReferenceDecoder(byte[] bytes, int maxOptions, int maxToken, long maxSize)
    {
        _rest = [.. bytes.Select(b => (int)b)];
        _all = bytes.Length;
        _maxOptions = maxOptions;
        _maxToken = maxToken;
        _maxSize = maxSize;
    }

    private int Position => _all - _rest.Count;

    public static string Datagram(byte[] bytes, int maxOptions = 256, int maxToken = 65_804, long maxSize = 65_535)
    {
        try
        {
            return new ReferenceDecoder(bytes, maxOptions, maxToken, maxSize).Datagram();
        }
        catch (BrokenRuleException broken)
        {
            return broken.Message;
        }
    }

    public static string Frame(byte[] bytes, int maxOptions = 256, int maxToken = 65_804, long maxSize = 1_048_576)
    {
        try
        {
            return new ReferenceDecoder(bytes, maxOptions, maxToken, maxSize).Frame();
        }
        catch (BrokenRuleException broken)
        {
            return broken.Message;
        }
    }

    public static string WebSocket(byte[] bytes, int maxOptions = 256, int maxToken = 65_804, long maxSize = 1_048_576)
    {
        try
        {
            return new ReferenceDecoder(bytes, maxOptions, maxToken, maxSize).WebSocket();
        }
        catch (BrokenRuleException broken)
        {
            return broken.Message;
        }
    }

    private string Datagram()
    {
        // "Messages with unknown version numbers MUST be silently ignored": whatever else is wrong with them.
        if (_rest.Count > 0 && _rest[0] / 64 != 1)
        {
            throw new BrokenRuleException(CoapMessageFormatViolation.UnknownVersion, 0);
        }

        Need(4, CoapMessageFormatViolation.HeaderTruncated);
        int first = Take();
        int code = Take();
        int id = (Take() * 256) + Take();
        int tkl = first % 16;
        if (tkl == 15 || (_maxToken == 8 && tkl > 8))
        {
            throw new BrokenRuleException(CoapMessageFormatViolation.TokenLengthReserved, 0);
        }

        if (_all > _maxSize)
        {
            throw new BrokenRuleException(CoapMessageFormatViolation.MessageTooLarge, _maxSize);
        }

        int length = (int)Extended(tkl, CoapMessageFormatViolation.TokenTruncated);
        Need(length, CoapMessageFormatViolation.TokenTruncated);
        if (length > _maxToken)
        {
            throw new BrokenRuleException(CoapMessageFormatViolation.TokenTooLong, 0);
        }

        // "bytes of data MUST NOT be present after the Message ID field. If there are any bytes, they MUST be processed as a message format
        // error."
        if (code == 0 && _all != 4)
        {
            throw new BrokenRuleException(CoapMessageFormatViolation.EmptyNotEmpty, 4);
        }

        if (!new[] { 0, 2, 4, 5 }.Contains(code / 32))
        {
            throw new BrokenRuleException(CoapMessageFormatViolation.CodeReserved, 1);
        }

        string type = (first / 16 % 4) switch { 0 => "CON", 1 => "NON", 2 => "ACK", _ => "RST" };
        string token = Hex(length);
        return string.Create(CultureInfo.InvariantCulture,
            $"{type} {code / 32}.{code % 32:00} {id:x4} {(token.Length == 0 ? "-" : token)}{Rest(0, 0)}");
    }

    private string Frame()
    {
        Need(1, CoapMessageFormatViolation.EndOfStream);
        int first = Take();
        if (first % 16 == 15 || (_maxToken == 8 && first % 16 > 8))
        {
            throw new BrokenRuleException(CoapMessageFormatViolation.TokenLengthReserved, 0);
        }

        long body = Extended(first / 16, CoapMessageFormatViolation.EndOfStream);
        if (Position + 1 + body > _maxSize)
        {
            throw new BrokenRuleException(CoapMessageFormatViolation.MessageTooLarge, _maxSize);
        }

        Need(1, CoapMessageFormatViolation.EndOfStream);
        int at = Position;
        int code = Take();
        if (new[] { 1, 3, 6 }.Contains(code / 32))
        {
            throw new BrokenRuleException(CoapMessageFormatViolation.CodeReserved, at);
        }

        long length = Extended(first % 16, CoapMessageFormatViolation.EndOfStream);
        if (length > _maxToken)
        {
            throw new BrokenRuleException(CoapMessageFormatViolation.TokenTooLong, 0);
        }

        if (Position + length + body > _maxSize)
        {
            throw new BrokenRuleException(CoapMessageFormatViolation.MessageTooLarge, _maxSize);
        }

        Need(length + body, CoapMessageFormatViolation.EndOfStream);
        if (_rest.Count > length + body)
        {
            throw new BrokenRuleException(CoapMessageFormatViolation.TrailingBytes, Position + length + body);
        }

        string token = Hex((int)length);
        return string.Create(CultureInfo.InvariantCulture, $"{code / 32}.{code % 32:00} {(token.Length == 0 ? "-" : token)}{Rest(0, 0)}");
    }

    private string WebSocket()
    {
        // "The length field MUST be set to 0": the WebSocket message says how long it is.
        if (_rest.Count > 0 && _rest[0] / 16 != 0)
        {
            throw new BrokenRuleException(CoapMessageFormatViolation.LengthNotZero, 0);
        }

        if (_rest.Count > 0 && (_rest[0] == 15 || (_maxToken == 8 && _rest[0] > 8)))
        {
            throw new BrokenRuleException(CoapMessageFormatViolation.TokenLengthReserved, 0);
        }

        Need(2, CoapMessageFormatViolation.HeaderTruncated);
        if (_all > _maxSize)
        {
            throw new BrokenRuleException(CoapMessageFormatViolation.MessageTooLarge, _maxSize);
        }

        int tkl = Take();
        int code = Take();
        if (new[] { 1, 3, 6 }.Contains(code / 32))
        {
            throw new BrokenRuleException(CoapMessageFormatViolation.CodeReserved, 1);
        }

        int length = (int)Extended(tkl, CoapMessageFormatViolation.TokenTruncated);
        Need(length, CoapMessageFormatViolation.TokenTruncated);
        if (length > _maxToken)
        {
            throw new BrokenRuleException(CoapMessageFormatViolation.TokenTooLong, 0);
        }

        string token = Hex(length);
        return string.Create(CultureInfo.InvariantCulture, $"{code / 32}.{code % 32:00} {(token.Length == 0 ? "-" : token)}{Rest(0, 0)}");
    }

    // What is left: nothing, a marker with a payload, or an option and what is left after it.
    private string Rest(int number, int count)
    {
        if (_rest.Count == 0)
        {
            return string.Empty;
        }

        int at = Position;
        int first = Take();
        if (first == 255)
        {
            return _rest.Count == 0 ? throw new BrokenRuleException(CoapMessageFormatViolation.PayloadMissing, at)
                : " |" + Hex(_rest.Count);
        }

        if (count == _maxOptions)
        {
            throw new BrokenRuleException(CoapMessageFormatViolation.TooManyOptions, at);
        }

        if (first / 16 == 15)
        {
            throw new BrokenRuleException(CoapMessageFormatViolation.OptionDeltaReserved, at);
        }

        if (first % 16 == 15)
        {
            throw new BrokenRuleException(CoapMessageFormatViolation.OptionLengthReserved, at);
        }

        long next = number + Extended(first / 16, CoapMessageFormatViolation.OptionHeaderTruncated);
        if (next > 65_535)
        {
            throw new BrokenRuleException(CoapMessageFormatViolation.OptionNumberTooLarge, at);
        }

        long length = Extended(first % 16, CoapMessageFormatViolation.OptionHeaderTruncated);
        Need(length, CoapMessageFormatViolation.OptionValueTruncated);
        string option = $" {next}:{Hex((int)length)}";
        return option + Rest((int)next, count + 1);
    }

    private long Extended(int field, CoapMessageFormatViolation whenMissing)
    {
        if (field <= 12)
        {
            return field;
        }

        int size = field == 13 ? 1 : field == 14 ? 2 : 4;
        Need(size, whenMissing);
        long value = 0;
        for (int i = 0; i < size; i++)
        {
            value = (value * 256) + Take();
        }

        return value + (field == 13 ? 13 : field == 14 ? 269 : 65_805);
    }

    private void Need(long count, CoapMessageFormatViolation rule)
    {
        if (_rest.Count < count)
        {
            throw new BrokenRuleException(rule, _all);
        }
    }

    private int Take()
    {
        int value = _rest[0];
        _rest.RemoveAt(0);
        return value;
    }

    private string Hex(int count) =>
        string.Concat(Enumerable.Range(0, count).Select(_ => Take().ToString("x2", CultureInfo.InvariantCulture)));

    private sealed class BrokenRuleException(CoapMessageFormatViolation rule, long offset) : Exception($"{rule} at {offset}");
}

namespace CoAP.NET.Tests.Messages;

/// <summary>The code byte: class &lt;&lt; 5 | detail (RFC 7252 section 12.1).</summary>
public sealed class CodeTests
{
    [Theory]
    [InlineData("0.00", "Empty", 0x00)]
    [InlineData("0.01", "GET", 0x01)]
    [InlineData("0.02", "POST", 0x02)]
    [InlineData("0.03", "PUT", 0x03)]
    [InlineData("0.04", "DELETE", 0x04)]
    [InlineData("0.05", "FETCH", 0x05)]
    [InlineData("0.06", "PATCH", 0x06)]
    [InlineData("0.07", "iPATCH", 0x07)]
    [InlineData("2.01", "Created", 0x41)]
    [InlineData("2.02", "Deleted", 0x42)]
    [InlineData("2.03", "Valid", 0x43)]
    [InlineData("2.04", "Changed", 0x44)]
    [InlineData("2.05", "Content", 0x45)]
    [InlineData("2.31", "Continue", 0x5f)]
    [InlineData("4.00", "Bad Request", 0x80)]
    [InlineData("4.01", "Unauthorized", 0x81)]
    [InlineData("4.02", "Bad Option", 0x82)]
    [InlineData("4.03", "Forbidden", 0x83)]
    [InlineData("4.04", "Not Found", 0x84)]
    [InlineData("4.05", "Method Not Allowed", 0x85)]
    [InlineData("4.06", "Not Acceptable", 0x86)]
    [InlineData("4.08", "Request Entity Incomplete", 0x88)]
    [InlineData("4.09", "Conflict", 0x89)]
    [InlineData("4.12", "Precondition Failed", 0x8c)]
    [InlineData("4.13", "Request Entity Too Large", 0x8d)]
    [InlineData("4.15", "Unsupported Content-Format", 0x8f)]
    [InlineData("4.22", "Unprocessable Entity", 0x96)]
    [InlineData("4.29", "Too Many Requests", 0x9d)]
    [InlineData("5.00", "Internal Server Error", 0xa0)]
    [InlineData("5.01", "Not Implemented", 0xa1)]
    [InlineData("5.02", "Bad Gateway", 0xa2)]
    [InlineData("5.03", "Service Unavailable", 0xa3)]
    [InlineData("5.04", "Gateway Timeout", 0xa4)]
    [InlineData("5.05", "Proxying Not Supported", 0xa5)]
    [InlineData("5.08", "Hop Limit Reached", 0xa8)]
    [InlineData("7.01", "CSM", 0xe1)]
    [InlineData("7.02", "Ping", 0xe2)]
    [InlineData("7.03", "Pong", 0xe3)]
    [InlineData("7.04", "Release", 0xe4)]
    [InlineData("7.05", "Abort", 0xe5)]
    public void A_code_has_its_value_and_its_name(string text, string name, byte value)
    {
        CoapCode code = CoapCode.Parse(text);

        Assert.Equal(value, code.Value);
        Assert.Equal(name, code.Name);
        Assert.Equal(code.IsRequest ? name : $"{text} {name}", code.ToString());
        Assert.Equal(code, new CoapCode(value >> 5, value & 31));
    }

    [Theory]
    [InlineData(0x00, "empty")]
    [InlineData(0x01, "request")]
    [InlineData(0x1f, "request")]
    [InlineData(0x20, "reserved")]
    [InlineData(0x45, "response")]
    [InlineData(0x60, "reserved")]
    [InlineData(0x9f, "response")]
    [InlineData(0xa0, "response")]
    [InlineData(0xc0, "reserved")]
    [InlineData(0xe1, "signalling")]
    public void The_class_of_a_code_determines_its_kind(byte value, string kind)
    {
        CoapCode code = new(value);

        Assert.Equal(kind == "empty", code.IsEmpty);
        Assert.Equal(kind == "request", code.IsRequest);
        Assert.Equal(kind == "response", code.IsResponse);
        Assert.Equal(kind == "signalling", code.IsSignalling);
        Assert.Equal(kind is "reserved" or "signalling", code.IsReserved);
    }

    [Theory]
    [InlineData("")]
    [InlineData("4.4")]
    [InlineData("8.00")]
    [InlineData("4.32")]
    [InlineData("4-04")]
    [InlineData("4. 4")]
    public void An_invalid_code_text_is_refused(string text) => Assert.Throws<FormatException>(() => CoapCode.Parse(text));
}

using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Http;

namespace CoAP.NET.AspNetCore;

/// <summary>Distinguishes invalid bodies of HTTP requests from connections that ended.</summary>
internal static class HttpBodyErrors
{
    /// <summary>
    /// Returns the exception with the status for the client: that of the server, such as 413, and 400 if the server did not choose one, as
    /// for a chunk of 2^64 - 1 bytes. Null if the connection ended and no response can be sent.
    /// </summary>
    /// <param name="exception">The exception from reading the body.</param>
    public static BadHttpRequestException? Of(IOException exception) => exception switch
    {
        BadHttpRequestException known => known,
        ConnectionResetException => null,
        _ => new BadHttpRequestException("The body of the request is malformed or incomplete.", StatusCodes.Status400BadRequest, exception),
    };
}

namespace CoAP.NET;

/// <summary>
/// Creates and reads payloads in SenML (RFC 8428), for measurements and settings: <c>CoapContent.Senml</c> and <c>ReadSenml</c>.
/// </summary>
public static class CoapSenmlContent
{
    extension(CoapContent)
    {
        /// <summary>Encodes measurements or settings in SenML (RFC 8428).</summary>
        /// <param name="pack">The pack.</param>
        /// <param name="format">
        /// <see cref="CoapContentFormat.SenmlJson"/> or <see cref="CoapContentFormat.SenmlCbor"/>. Default: CBOR, which is about a third
        /// smaller.
        /// </param>
        /// <returns>The content.</returns>
        /// <exception cref="ArgumentException">The format is not one of these.</exception>
        public static CoapContent Senml(CoapSenmlPack pack, CoapContentFormat? format = null)
        {
            ArgumentNullException.ThrowIfNull(pack);
            CoapContentFormat chosen = format ?? CoapContentFormat.SenmlCbor;
            return new CoapContent(pack.ToBytes(chosen), chosen);
        }
    }

    /// <summary>Reads the payload as a SenML Pack in JSON or CBOR (RFC 8428).</summary>
    /// <param name="response">The response.</param>
    /// <param name="profile">The rules of the records. Default: those of RFC 8428.</param>
    /// <returns>The pack.</returns>
    /// <exception cref="CoapContentException">
    /// The Content-Format is not SenML, or the payload is not a pack. In the second case the inner exception has the position of the error.
    /// </exception>
    public static CoapSenmlPack ReadSenml(this CoapResponse response, CoapSenmlProfile profile = default)
    {
        ArgumentNullException.ThrowIfNull(response);
        return !IsSenml(response.ContentFormat)
            ? throw CoapContentException.Unsupported("SenML", response)
            : CoapSenmlPack.TryParse(
                response.Payload.Span, response.ContentFormat!.Value, out CoapSenmlPack? pack, out CoapSenmlError error, profile: profile)
            ? pack
            : throw new CoapContentException(response, CoapCode.BadRequest, MessageOf(error), new CoapSenmlException(error));
    }

    /// <summary>Reads the payload as a SenML Pack in JSON or CBOR (RFC 8428).</summary>
    /// <param name="request">The request.</param>
    /// <param name="profile">The rules of the records. Default: those of RFC 8428.</param>
    /// <returns>The pack.</returns>
    /// <exception cref="CoapContentException">
    /// The Content-Format is not SenML, or the payload is not a pack. In the second case the inner exception has the position of the error.
    /// </exception>
    public static CoapSenmlPack ReadSenml(this CoapRequest request, CoapSenmlProfile profile = default)
    {
        ArgumentNullException.ThrowIfNull(request);
        return !IsSenml(request.ContentFormat)
            ? throw CoapContentException.Unsupported("SenML", request)
            : CoapSenmlPack.TryParse(
                request.Payload.Span, request.ContentFormat!.Value, out CoapSenmlPack? pack, out CoapSenmlError error, profile: profile)
            ? pack
            : throw new CoapContentException(request, CoapCode.BadRequest, MessageOf(error), new CoapSenmlException(error));
    }

    private static bool IsSenml(CoapContentFormat? format) =>
        format == CoapContentFormat.SenmlJson || format == CoapContentFormat.SenmlCbor;

    private static string MessageOf(CoapSenmlError error) => $"The payload is not a SenML Pack: {error.Message} (offset {error.Offset}).";
}

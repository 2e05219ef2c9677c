using System.Net;
using System.Security.Claims;
using CoAP.NET.Composition;
using CoAP.NET.Http;
using Microsoft.AspNetCore.Authentication;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;

namespace CoAP.NET.AspNetCore.Endpoints;

/// <summary>Runs endpoints of a web application for CoAP requests.</summary>
/// <param name="options">The mapping options.</param>
/// <param name="services">The services of the application.</param>
/// <param name="pipeline">Runs the endpoint of a context, after its middleware.</param>
/// <param name="logger">The log.</param>
internal sealed class EndpointRunner(
    CoapEndpointMappingOptions options, IServiceProvider services, RequestDelegate pipeline, ILogger logger)
{
    private static readonly CoapResult s_tooLong =
        CoapResults.Status(CoapCode.ServiceUnavailable, "The handler was aborted because it took too long.");

    private static readonly CoapResult s_neverEnds =
        CoapResults.Status(CoapCode.NotImplemented, "CoAP does not support responses that never end. Observe a resource instead.");

    private static readonly CoapResult s_redirect =
        CoapResults.Status(CoapCode.NotImplemented, "The response is a redirect, which has no counterpart in CoAP.");

    private readonly IHttpContextFactory? _contexts = services.GetService<IHttpContextFactory>();
    private readonly TimeProvider _clock = services.GetService<TimeProvider>() ?? TimeProvider.System;

    /// <summary>Authorizes the client before the body of its request is assembled.</summary>
    /// <param name="request">The request, with the first block of its body.</param>
    /// <param name="route">The CoAP route.</param>
    /// <param name="next">Receives the body.</param>
    /// <param name="cancellationToken">Canceled when the client no longer waits.</param>
    public async ValueTask<CoapResult> AdmitAsync(CoapRequestContext request, EndpointRoute route, CoapHandler next,
        CancellationToken cancellationToken) =>
        await WithContextAsync(request, async exchange => await FindAsync(exchange, route).ConfigureAwait(false) is { Refusal: { } refusal }
            ? refusal : await next(request, cancellationToken).ConfigureAwait(false), cancellationToken).ConfigureAwait(false);

    /// <summary>Answers a request.</summary>
    /// <param name="request">The request.</param>
    /// <param name="route">The CoAP route.</param>
    /// <param name="cancellationToken">Canceled when the client no longer waits.</param>
    public async ValueTask<CoapResult> RunAsync(CoapRequestContext request, EndpointRoute route, CancellationToken cancellationToken) =>
        await WithContextAsync(request, exchange => RunAsync(exchange, route, cancellationToken), cancellationToken).ConfigureAwait(false);

    private async ValueTask<CoapResult> WithContextAsync(CoapRequestContext request,
        Func<InProcessHttpContext, ValueTask<CoapResult>> run, CancellationToken cancellationToken)
    {
        InProcessHttpContext exchange;
        try
        {
            exchange = InProcessHttpContext.Open(request, options.Translator, options.MaxResponseSize, _contexts, cancellationToken);
        }
        catch (CoapHttpTranslationException exception)
        {
            return CoapResults.Status(exception.Code, exception.Message);
        }
        catch (CoapFormatException exception)
        {
            return CoapResults.BadRequest(exception.Message);
        }

        await using (exchange.ConfigureAwait(false))
        {
            return await run(exchange).ConfigureAwait(false);
        }
    }

    private async ValueTask<CoapResult> RunAsync(InProcessHttpContext exchange, EndpointRoute route, CancellationToken cancellationToken)
    {
        HttpContext context = exchange.Context;
        AspNetEndpointSelection choice = await FindAsync(exchange, route).ConfigureAwait(false);
        if (choice.Endpoint is not { } endpoint)
        {
            return choice.Refusal!;
        }

        try
        {
            // Converts only after authorization.
            if (ConvertedTypeOf(exchange.Request, route) is not null)
            {
                exchange.ConvertBody(options.Translator);
            }
        }
        catch (CoapContentException exception)
        {
            return CoapResults.Refuse(exchange.Request, exception.Message, exception.Code);
        }

        context.SetEndpoint(endpoint.Endpoint);
        exchange.LimitTime(endpoint.Timeout, _clock);
        try
        {
            await pipeline(context).ConfigureAwait(false);
            await exchange.Response.CompleteAsync().ConfigureAwait(false);
        }
        catch (BadHttpRequestException exception) when (!exchange.Response.HasStarted)
        {
            CoapCode code = options.Translator.Codes.CodeOf((HttpStatusCode)exception.StatusCode, exchange.Request.Method);

            // The message may contain input from the peer.
            CoapResults.ReportRefusal(exchange.Request, endpoint.Refusal);
            return CoapResults.Status(code.IsError ? code : CoapCode.BadRequest, exception.Message);
        }
        catch (Exception) when (exchange.Response.Fault is not null)
        {
            // The code below reports the error.
        }
        catch (OperationCanceledException) when (exchange.IsAborted && !cancellationToken.IsCancellationRequested)
        {
            return s_tooLong;
        }

        return exchange.Response.Fault is { } fault ? Refuse(endpoint, fault) : WithReason(exchange, endpoint, AnswerOf(exchange));
    }

    private async ValueTask<AspNetEndpointSelection> FindAsync(InProcessHttpContext exchange, EndpointRoute route)
    {
        AspNetEndpointSelection choice = route.Choose(
            exchange, ConvertedTypeOf(exchange.Request, route) ?? exchange.Context.Request.ContentType);
        if (choice.Endpoint is not { } endpoint)
        {
            return choice;
        }

        exchange.Context.User = await UserOfAsync(exchange).ConfigureAwait(false);
        return await endpoint.Authorization.RefuseAsync(exchange.Context).ConfigureAwait(false) is { } refusal
            ? AspNetEndpointSelection.None(refusal) : choice;
    }

    // Returns the media type after the conversion of the body; null if the body stays unchanged.
    private string? ConvertedTypeOf(CoapRequestContext request, EndpointRoute route) =>
        options.Translator.Json.Converts && !request.Payload.IsEmpty && request.ContentFormat is { } format && !route.Reads(format)
            ? options.Translator.Json.MediaTypes.TryGetValue(format, out string? type) ? type : null
            : null;

    private async ValueTask<ClaimsPrincipal> UserOfAsync(InProcessHttpContext exchange)
    {
        ClaimsPrincipal user = options.Identity is { } identify
            ? identify(exchange.Request) ?? new ClaimsPrincipal(new ClaimsIdentity())
            : PeerPrincipal.Of(exchange.Request);
        return user.Identity is { IsAuthenticated: true }
            && exchange.Context.RequestServices.GetService<IClaimsTransformation>() is { } transformation
            ? await transformation.TransformAsync(user).ConfigureAwait(false) : user;
    }

    // Outside of Development ASP.NET Core answers a request that does not fit the parameters of a handler with the status alone.
    private static CoapResult WithReason(InProcessHttpContext exchange, ServedEndpoint endpoint, CoapResult answer) =>
        answer.Code.IsError && exchange.Response is
        {
            StatusCode: StatusCodes.Status400BadRequest or StatusCodes.Status415UnsupportedMediaType,
            Written.IsEmpty: true,
        }
            ? CoapResults.Refuse(exchange.Request, endpoint.Refusal, answer.Code)
            : answer;

    private CoapResult Refuse(ServedEndpoint endpoint, UnsendableOverCoapReason fault)
    {
        CoapResult answer = fault == UnsendableOverCoapReason.NeverEnds ? s_neverEnds : new CoapResult(CoapCode.InternalServerError);
        if (endpoint.TryReport())
        {
            EndpointLog.ResponseRefused(logger, endpoint.Name, fault == UnsendableOverCoapReason.NeverEnds
                ? "it is a stream of server-sent events. Serve the state as an observable resource."
                : $"it has more than {options.MaxResponseSize} bytes ({nameof(CoapEndpointMappingOptions.MaxResponseSize)}).");
        }

        return answer;
    }

    private CoapResult AnswerOf(InProcessHttpContext exchange)
    {
        RecordedResponse recorded = exchange.Response;
        HttpStatusCode status = (HttpStatusCode)recorded.StatusCode;
        if (recorded.StatusCode is >= 300 and < 400 && status != HttpStatusCode.NotModified)
        {
            return s_redirect;
        }

        CoapRequestContext request = exchange.Request;
        bool isSuccess = recorded.StatusCode is >= 200 and < 300;

        // Deleting a missing resource is a success in CoAP, so the error text must not become its payload.
        bool hasBody = status is not (HttpStatusCode.NoContent or HttpStatusCode.ResetContent or HttpStatusCode.NotModified)
            && (isSuccess || options.Translator.Codes.CodeOf(status, request.Method).IsError);
        ReadOnlyMemory<byte> body = hasBody ? recorded.Written : default;
        using HttpResponseMessage response = new(status) { RequestMessage = exchange.Message, Content = new ReadOnlyMemoryContent(body) };
        foreach ((string name, Microsoft.Extensions.Primitives.StringValues values) in recorded.Headers)
        {
            if (!response.Headers.TryAddWithoutValidation(name, (IEnumerable<string?>)values))
            {
                response.Content.Headers.TryAddWithoutValidation(name, (IEnumerable<string?>)values);
            }
        }

        CoapResult result = options.Translator.ToCoapResult(response, body, request, _clock.GetUtcNow());
        response.RequestMessage = null;
        if ((request.IsForObservers || request.Options.Observe is not null)
            && response.Headers.CacheControl is null && response.Content.Headers.Expires is null)
        {
            // The options of the route for observers apply. A Max-Age of 0 would make observers register again at once.
            result.OwnOptions.Remove(OptionNumber.MaxAge);
        }

        return WithErrorBody(result, body, response, request.Accept ?? request.ContentFormat);
    }

    // CoAP clients get the description of an error as well (RFC 7252 section 5.5.1).
    private CoapResult WithErrorBody(CoapResult result, ReadOnlyMemory<byte> body, HttpResponseMessage response, CoapContentFormat? wanted)
    {
        string? type = response.Content.Headers.TryGetValues("Content-Type", out IEnumerable<string>? types)
            ? string.Join(", ", types) : null;
        if (!result.Code.IsError || !result.Payload.IsEmpty || body.IsEmpty
            || !options.Translator.MediaTypes.TryGetContentFormat(type, null, out CoapContentFormat format))
        {
            return result;
        }

        if (options.Translator.Json.Converts && wanted is { } other && CoapCborJson.CounterpartOf(format) == other)
        {
            try
            {
                (body, format) = (CoapCborJson.Convert(body.Span, format, options.Translator.Json.MaxSize), other);
            }
            catch (CoapContentException)
            {
                return result;
            }
        }

        CoapResult described = new(result.Code, body, format);
        return result.Options.MaxAge is { } maxAge ? described.WithMaxAge(maxAge) : described;
    }
}

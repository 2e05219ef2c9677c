using System.Text.Json;
using System.Text.Json.Serialization.Metadata;
using CoAP.NET.AspNetCore;
using CoAP.NET.Explorer.Exploring;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Features;

namespace CoAP.NET.Explorer.Pages;

/// <summary>Reads the JSON that a page sends. Whatever is wrong with it is described to the user, with a status of class 4.</summary>
internal static class PageRequestReader
{
    /// <summary>Reads the body of a request.</summary>
    /// <param name="context">The request.</param>
    /// <param name="type">The expected JSON.</param>
    /// <param name="maxSize">The maximum number of bytes.</param>
    /// <exception cref="ExplorerException">The body does not match the type, is too large, or was not received completely.</exception>
    public static async Task<T> ReadAsync<T>(HttpContext context, JsonTypeInfo<T> type, long maxSize)
        where T : class
    {
        Limit(context, maxSize);
        try
        {
            return await JsonSerializer.DeserializeAsync(context.Request.Body, type, context.RequestAborted).ConfigureAwait(false)
                ?? throw new JsonException("The request is null.");
        }
        catch (JsonException exception)
        {
            throw NotUnderstood(exception);
        }
        catch (IOException exception) when (HttpBodyErrors.Of(exception) is { } broken)
        {
            throw NotReceived(broken);
        }
    }

    /// <summary>Parses JSON that a page sends in a form.</summary>
    /// <exception cref="ExplorerException">The text does not match the type.</exception>
    public static T Parse<T>(string json, JsonTypeInfo<T> type)
        where T : class
    {
        try
        {
            return JsonSerializer.Deserialize(json, type) ?? throw new JsonException("The request is null.");
        }
        catch (JsonException exception)
        {
            throw NotUnderstood(exception);
        }
    }

    /// <summary>Makes the server refuse a larger body with 413.</summary>
    public static void Limit(HttpContext context, long maxSize)
    {
        if (context.Features.Get<IHttpMaxRequestBodySizeFeature>() is { IsReadOnly: false } limit)
        {
            limit.MaxRequestBodySize = maxSize;
        }
    }

    /// <summary>Describes a body that was not received.</summary>
    public static ExplorerException NotReceived(BadHttpRequestException broken) =>
        new(broken.StatusCode, new PageProblem("Not received", broken.Message, "Send it again, or send less at a time."));

    private static ExplorerException NotUnderstood(JsonException exception) =>
        ExplorerException.Bad("Not understood", $"The request of the page cannot be read: {exception.Message}", "Reload the page.");
}

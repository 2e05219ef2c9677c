using Microsoft.AspNetCore.Mvc;

namespace CoAP.NET.AspNetCore.Tests.Endpoints;

/// <summary>A controller without a route by attribute.</summary>
public sealed class ByConventionController : ControllerBase
{
    [HttpGet]
    public string Get() => "by convention";
}

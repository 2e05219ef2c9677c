using CoAP.NET.Diagnostics;
using CoAP.NET.Hosting;
using CoAP.NET.Hosting.Configuration;
using Microsoft.Extensions.Options;

namespace CoAP.NET.Http.Hosting;

/// <summary>Checks the options of one proxy when the application starts.</summary>
internal sealed class ProxyOptionsValidator(ProxyRegistration registration) : IValidateOptions<CoapHostedProxyOptions>
{
    public ValidateOptionsResult Validate(string? name, CoapHostedProxyOptions options)
    {
        if (name != registration.Name)
        {
            return ValidateOptionsResult.Skip;
        }

        string section = registration.SectionPath;
        List<string> problems = options.Findings.ListProblems(section, options.AllowUnknownKeys);

        for (int i = 0; i < options.Routes.Count; i++)
        {
            AddProblems($"{section}:{ProxyConfigurationKeys.Routes}:{i}", options.Routes[i], problems);
        }

        if (options.IdentityKey is { } key && ConfigurationSecret.BytesOf(key) is null)
        {
            problems.Add($"{section}:IdentityKey has less than {ConfigurationSecret.MinLength} bytes, or is not a hexadecimal number.");
        }

        if ((options.AllowedHosts.Count > 0 || options.AllowedNetworks.Count > 0 || options.ForwardHttp) && !options.Forward)
        {
            problems.Add($"{section} has allowed targets of a forward proxy, but there is none. Set {section}:Forward to true.");
        }

        return problems.Count == 0 ? ValidateOptionsResult.Success : ValidateOptionsResult.Fail(ConfigurationTextFormatter.OfAll(problems));
    }

    private static void AddProblems(string item, CoapProxyRoute route, List<string> problems)
    {
        if (route.Path is null)
        {
            problems.Add($"{item}:Path is missing. Set it to the path to serve, such as /floor1/{{*path}}.");
        }

        if (route.Target is null)
        {
            problems.Add($"{item}:Target is missing. Set it to the URI to forward to.");
        }
        else if (!route.IsHttp && (route.ConvertsJson || route.PollInterval is not null))
        {
            problems.Add($"{item} has ConvertsJson or PollInterval, which are for HTTP servers, but Target is a CoAP server. Remove them.");
        }
    }
}

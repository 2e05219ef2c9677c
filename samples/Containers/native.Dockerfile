# samples/Hosting as one native program on distroless with the C library only: coap and OSCORE, no OpenSSL and so no coaps. With the image base-debian13, which has OpenSSL, coaps too. In the root of the repository:
#   docker build -f samples/Containers/native.Dockerfile -t coap-native . && docker run -p 5683:5683/udp coap-native
FROM mcr.microsoft.com/dotnet/sdk:10.0-noble AS build
RUN apt-get update && apt-get install -y --no-install-recommends clang zlib1g-dev
WORKDIR /source
COPY . .
RUN dotnet publish samples/Hosting -c Release --use-current-runtime -p:PublishAot=true -p:InvariantGlobalization=true -o /app

# Debian 13: a native program needs a C library that is no older than that of the machine where it was linked.
FROM gcr.io/distroless/base-nossl-debian13:nonroot
WORKDIR /app
COPY --from=build /app/Hosting /app/appsettings.json ./
EXPOSE 5683/udp 5683/tcp
ENTRYPOINT ["/app/Hosting"]
